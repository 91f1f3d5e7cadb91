// Which tier is due and what it would do. Pure: the same conversation and budget give the same plan.
#pragma once

#include <optional>
#include <string>

#include "compression/reading/summarize.h"
#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

// What the plan must know of the past; kept by the compactor, never by this folder.
struct PlanState {
  TimePoint now{};
  int failures_in_a_row = 0;       // three open the breaker: local summaries only
  int refills_in_a_row = 0;        // three mean thrash: stop and say what fills the context
  bool cache_cold = false;         // long idle or resumed: the prompt cache is gone, cutting is free
  bool overflow = false;           // the API refused the length: start at once whatever the share
  bool manual = false;             // /compact: no threshold
  std::string why;                 // why a manual one was started; empty = it was asked for
  std::string strategy;            // override of config.strategy; empty = config
  std::string focus;               // the person's or the memory file's compact instructions
  std::optional<ItemRange> range;  // a cut the person picked
};

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

// Tier 3 without a model; the last steps of the fallback ladder.
Edits local_summary(const Conversation& conversation, const Budget& budget, const PlanState& state);
Edits remove_messages(const Conversation& conversation, const Budget& budget, Tokens target);

}  // namespace tern
