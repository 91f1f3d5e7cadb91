// Results that something later made worthless: an older read of a file later read again or edited, the same
// output once more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"
#include "compression/values/strategy.h"

namespace tern {

struct Superseded {
  std::size_t item, block;  // the older result
  std::string why;          // "later read again (r41)", "same output as r41"
};
extern const Strategy superseded_strategy;

// In the order of the items. Partial reads are superseded by whole ones, or by the same part read again.
std::vector<Superseded> superseded_results(const Conversation& conversation);

// Each becomes one line; protected items stay. Prompt cache: rewritten from the first of them on.
Edits superseded(const Conversation& conversation, const Budget& budget);

}  // namespace tern
