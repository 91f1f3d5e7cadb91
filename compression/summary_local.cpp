#include "compression/condense.h"
#include "compression/plan.h"
#include "compression/strategy.h"

namespace tern {

Edits local_summary(const Conversation& conversation, const Budget& budget, const PlanState&) {
  return condense(conversation, budget, {.target = compaction_goal(budget), .tier = Tier::compact});
}

namespace {

Edits propose_local(const Conversation& conversation, const Budget& budget) { return local_summary(conversation, budget, {}); }

}  // namespace

constinit const Strategy local_strategy{"local", "a summary made by rules, without a model", propose_local};

}  // namespace tern
