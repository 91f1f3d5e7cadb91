// The line engine of every no-model tier: old results, long arguments and long texts keep only the lines that
// bring names nothing else in the context holds, until a token target is met. Calls stay, human text stays,
// pairs stay whole.
#pragma once

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

// How far the engine may go: old results; also long call arguments; also long answers and summaries; at last
// old rounds, folded by subject, and long requests of the user.
enum class CutReach { results, calls, answers, all };

// What leaves as folded rounds, for the text that opens the folds.
struct FoldedRounds {
  const Conversation& whole;
  std::vector<ItemPtr> items;    // the folded ones, in order
  std::vector<bool> referenced;  // parallel to the whole: named again later
  Tokens budget = 0;             // of the text
  const CompressionConfig& config;
};
constexpr std::string_view after_mark = "~\x01";  // in that text: where the tokens after stand
std::string with_after(std::string text, Tokens after);

struct Condense {
  Tokens target = 0;  // tokens the items should come down to (estimate, uncalibrated)
  Tokens most =
      0;  // where the working set (working_set.h) needs more than the target: up to so many; 0 for none
  CutReach reach = CutReach::all;  // up to `answers` what the user wrote stays byte for byte
  Tier tier = Tier::micro;  // for the reasons; protected items are opened by the truncate tier alone, with
                            // reach `all`
  std::string (*head)(const FoldedRounds& folded) =
      nullptr;  // what opens the text of folded rounds; null for none
};

// Edits that bring the items to the target, as deep as it takes: results first, then long call arguments and
// long assistant texts, then whole old rounds folded into one Summary item. Empty when nothing is to be
// gained. Every replaced block names its recall id. Prompt cache: everything after the first edited item is
// written anew.
Edits condense(const Conversation& conversation, const Budget& budget, const Condense& how);

}  // namespace tern
