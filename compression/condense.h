// The line engine of every no-model tier: old results, long arguments and long texts keep only the lines that bring names
// nothing else in the context holds, until a token target is met. Calls stay, human text stays, pairs stay whole.
#pragma once

#include "compression/budget.h"
#include "compression/edit.h"

namespace tern {

struct Condense {
  Tokens target = 0;          // tokens the items should come down to (estimate, uncalibrated)
  bool results_only = false;  // tier 2: calls and texts stay byte for byte, rounds are never folded
  Tier tier = Tier::micro;    // for the reasons
  // What opens the text of folded rounds, made of them within a budget; null for none.
  std::string (*head)(const std::vector<ItemPtr>& folded, Tokens budget) = nullptr;
};

// Edits that bring the items to the target, as deep as it takes: results first, then long call arguments and long
// assistant texts, then whole old rounds folded into one Summary item. Empty when nothing is to be gained. Every
// replaced block names its recall id. Prompt cache: everything after the first edited item is written anew.
Edits condense(const Conversation& conversation, const Budget& budget, const Condense& how);

}  // namespace tern
