#include "compression/plan/next_action.h"

namespace tern {
namespace {

constexpr int refill_window = 2;  // compactions this few requests apart mean the context refills itself
constexpr double unhurried =
    0.92;  // of the truncate mark: below it a draft may still be started instead of a pause
constexpr double draft_patience = 0.97;  // of the truncate mark: until there the draft may take its time

Action for_plan(const Plan& plan, const CompactorFacts& facts) {
  if (plan.thrash) return Action::give_up;
  if (plan.tier == Tier::none || (plan.edits.empty() && !plan.ask)) return Action::nothing;
  // A summary that is paid for makes one deep cut at its mark; cutting now as well would be two.
  if (plan.tier == Tier::micro && (facts.pays_later || !facts.draft_survives_plan)) return Action::nothing;
  if (!facts.steered) return Action::steer;
  if (plan.ask && !facts.fresh_window_no) return Action::try_fresh_window;
  if (plan.ask && !facts.no_new_draft && facts.share < facts.truncate_at * unhurried)
    return Action::start_draft;
  if (plan.tier == Tier::truncate) return Action::truncate;
  return plan.ask ? Action::summarise : Action::cut;
}

}  // namespace

void CompactorState::count_compaction() {
  refills = requests_since <= refill_window ? refills + 1 : 0;
  requests_since = 0;
}

Action next(const CompactorState& state, const CompactorFacts& facts) {
  if (!facts.overflow && state.hold_until > 0)
    return state.holds(facts.share) ? Action::nothing : Action::end_hold;
  if (facts.plan) return for_plan(*facts.plan, facts);
  if (facts.draft == DraftStage::none || !facts.full || facts.overflow || facts.draft_gave_nothing)
    return Action::make_plan;
  const bool room = facts.share < facts.truncate_at * draft_patience;
  return facts.draft == DraftStage::writing && room && facts.draft_stands ? Action::nothing
                                                                          : Action::take_draft;
}

}  // namespace tern
