// Which tier is due and what it would do. Pure: the same conversation and budget give the same plan.
#pragma once

#include <optional>
#include <string>

#include "compression/plan/plan_state.h"
#include "compression/reading/summarize.h"
#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct Plan {
  Tier tier = Tier::none;
  Edits edits;                        // may be applied at once (tiers 2 and 4, or a no-model tier 3)
  std::optional<SummaryRequest> ask;  // tier 3: send this, then with_summary()
  std::string strategy;               // what made the edits
  std::string why;                    // reasons as text, for the log and the notice
  bool thrash = false;
};
Plan plan(const Conversation& conversation, const Budget& budget, const PlanState& state = {});

// Whether old results and calls, cut as tier 2 does, could still bring the context below its mark: no summary
// is needed soon.
bool results_suffice(const Conversation& conversation, const Budget& budget, const PlanState& state = {});

// Tier 4: lines of old results, calls and answers first, those of the protected zone only where that is not
// enough, whole messages (truncate) only where no lines are.
Edits hard_cut(const Conversation& conversation, const Budget& budget, Tokens target);

// Its last step by itself; never fails, never returns more than `target` tokens of items.
Edits truncate(const Conversation& conversation, const Budget& budget, Tokens target);

Edits remove_messages(const Conversation& conversation, const Budget& budget, Tokens target);

}  // namespace tern
