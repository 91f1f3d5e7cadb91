#include "compression/plan.h"
#include "compression/removal.h"
#include "compression/strategy.h"

namespace tern {

Edits remove_messages(const Conversation& conversation, const Budget& budget, Tokens target) {
  return remove(conversation, budget.config, Removal::oldest, target);
}

namespace {

Edits propose_hybrid(const Conversation& conversation, const Budget& budget) {
  return remove_messages(conversation, budget, compaction_goal(budget));
}

}  // namespace

constinit const Strategy hybrid_strategy{"hybrid", "drop rounds from the middle or the oldest, as the conversation suggests",
                                         propose_hybrid};

}  // namespace tern
