// What a compaction lost: each specific and each sentence of the assistant that was there before is kept,
// within reach of a recall id, or dropped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compression/reading/index.h"

namespace tern {

enum class Fate { kept, reachable, dropped };
struct Sentences {
  std::size_t kept = 0, reachable = 0, dropped = 0;
};
struct LossReport {
  std::size_t kept = 0, reachable = 0, dropped = 0;
  std::vector<std::pair<Fate, Fact>> lost;  // what is no longer in the context, the most needed first
  std::vector<Fact> stays;                  // what still is
  Sentences answers;                        // of the assistant, word for word
  std::string line() const;                 // "201 of 312 details kept, 108 on recall, 3 lost"
};
LossReport audit(const Conversation& before, const Conversation& after);

}  // namespace tern
