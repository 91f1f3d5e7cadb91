// What a compression did to the specifics: paths, commands, identifiers, error texts, numbers. Deterministic; no model.
// Each is kept (still stands in the context), reachable (only behind a recall id) or lost.
#pragma once

#include <string>
#include <vector>

#include "compression/conversation.h"

namespace tern {

struct LossAudit {
  std::size_t kept = 0, by_recall = 0, lost = 0;
  std::vector<std::string> reachable, dropped;  // "path  src/a.cpp  r17"
  std::string line() const;                     // "kept 41 of 47 specifics, 6 by recall, 0 lost"
  std::string full() const;                     // the lists, for the summary file
};
LossAudit audit_loss(const Conversation& before, const Conversation& after);

}  // namespace tern
