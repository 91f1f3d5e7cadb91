#include "agent/compactor/compactor.h"

#include <algorithm>

#include "agent/compactor/tuning.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr int steps_per_request = 6;  // tiers that may follow each other before one request

std::string fills(const Context& context) {
  std::string text;
  for (const auto& line : top_items(context, 3)) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

void Compactor::new_turn(std::uint64_t turn) {
  world_.turn = turn;
  state_.refills = 0;
}

void Compactor::resumed(const Context& context) {
  restore_draft(context);
  notes_.load(world_.store);
  preview_.reset();
  state_.cold = !context.gauges.cache().warm(world_.now());
  state_.requests_since = 1000;
  state_.hold_until = 0;
}

PlanState Compactor::plan_state(const Context& context) const {
  PlanState state;
  state.now = world_.now();
  state.failures_in_a_row = state_.failures;
  state.refills_in_a_row = state_.refills;
  state.cache_cold = state_.cold || (context.gauges.cache().seen && !context.gauges.cache().warm(state.now));
  state.focus = focus_;
  return state;
}

Fit Compactor::make_room(Context& context, std::stop_token stop) {
  cause_ = Cause::automatic;
  fit_attachments(context);
  if (!context.config.auto_compress) return {};
  ++state_.requests_since;
  keep_draft(context);
  remind_of_notes(context);
  const Conversation before = context.conversation;
  Fit fit;
  state_.deepest = Tier::none;
  meet_cold_cache(context);
  for (int i = 0; i < steps_per_request && !stop.stop_requested(); ++i) {
    auto now = plan_state(context);
    const auto result = step(context, now, stop);
    if (result == Step::failed) {
      fit = {false, "The context fills up again after each compaction. What fills it: " + fills(context) +
                        ". Start over with /clear, remove a pin, or use a model with a larger window."};
      break;
    }
    if (result == Step::nothing) break;
    state_.cold =
        state_.cold ||
        state_.deepest >=
            Tier::compact;  // the prefix is rewritten in any case: what else is due costs nothing more
  }
  state_.cold = false;
  if (state_.deepest >= Tier::compact) {
    show_notes(context);
    resume_rule(context, before);
  }
  if (fit.fits && used_of(context) > budget_of(context).effective())
    fit = {false, "The request does not fit: " + thousands(used_of(context)) + " of " +
                      thousands(budget_of(context).effective()) +
                      " tokens, and nothing more may be removed. What fills it: " + fills(context) + "."};
  if (fit.fits) maybe_draft(context);
  return fit;
}

CompactorFacts Compactor::facts(const Context& context, bool overflow) const {
  CompactorFacts facts;
  facts.share = fill_share(context);
  facts.truncate_at = context.config.truncate_at;
  facts.overflow = overflow;
  if (!held_.draft) return facts;
  const auto budget = budget_of(context);
  facts.draft = held_.draft->done() ? DraftStage::written : DraftStage::writing;
  facts.draft_stands = held_.draft->untouched(context.conversation);
  facts.full = facts.share >= context.config.compact_at ||
               compaction_due(usage(context.conversation, budget), context.conversation.items.size(), budget);
  return facts;
}

// One tier. Changes the context, or says that nothing is due.
Compactor::Step Compactor::step(Context& context, PlanState now, std::stop_token stop) {
  auto seen = facts(context, now.overflow);
  Plan due;
  for (;;) {
    const Action action = next(state_, seen);
    switch (action) {
      case Action::nothing: return Step::nothing;
      case Action::end_hold:
        state_.hold_until = 0;
        decided(Decided::hold_ended, "the context has grown past what was taken back (" +
                                         thousands(used_of(context)) + " tokens)");
        break;
      case Action::take_draft:
        if (const auto taken = take_due_draft(context, stop)) return *taken;
        seen.draft_gave_nothing = true;
        break;
      case Action::make_plan:
        due = plan(context.conversation, budget_of(context), now);
        seen.plan = &due;
        if (due.tier != Tier::micro || due.thrash || due.edits.empty()) break;
        seen.pays_later = !now.cache_cold && waits(context, due, seen.share);
        seen.draft_survives_plan =
            !held_.draft || held_.draft->untouched(tern::apply(context.conversation, due.edits));
        break;
      case Action::steer:
        if (!steered(context, due, now)) return Step::nothing;
        seen.steered = true;
        break;
      case Action::try_fresh_window:
        if (starts_fresh(context, due)) return state_.count_compaction(), Step::changed;
        seen.fresh_window_no = true;
        break;
      case Action::start_draft:
        if (start_draft(context, *due.ask, due.why))
          return Step::nothing;  // room enough to go on working while it is written
        seen.no_new_draft = true;
        break;
      case Action::give_up:
      case Action::truncate:
      case Action::summarise:
      case Action::cut: return carry_out(context, std::move(due), now, action, stop);
    }
  }
}

// The draft is due: waited for when it is still being written, then put in. Nothing: it could not be used,
// and the plan goes on.
std::optional<Compactor::Step> Compactor::take_due_draft(Context& context, std::stop_token stop) {
  const auto why = fullness(context);
  const bool waits = !held_.draft->done();
  const auto waited =
      waits ? wait_for_draft(context, why + "; there is no more room without the draft", stop) : -1;
  if (stop.stop_requested()) {
    if (!held_.draft->done()) log_failure("cancelled; the draft goes on", Tier::compact);
    return Step::nothing;
  }
  if (swap_draft(context, why, waited) == Step::changed) return Step::changed;
  return std::nullopt;
}

Compactor::Step Compactor::carry_out(Context& context, Plan due, const PlanState& now, Action action,
                                     std::stop_token stop) {
  if (action == Action::give_up) {
    decided(Decided::thrash, due.why);
    tell(CompactionPhase::failed, context, due.tier, {}, due.why);
    return Step::failed;
  }
  if (due.tier == Tier::micro && context.config.micro_by_model)
    due.edits = lines_by_model(context, std::move(due.edits), stop);
  if (due.tier >= Tier::compact) state_.count_compaction();
  if (action == Action::truncate) return truncated(context, std::move(due), now, stop);
  if (action == Action::cut) return cut(context, due);
  auto result = summarise(context, due, now, stop);
  if (!result) return Step::nothing;
  return commit(context, std::move(*result)) ? Step::changed : Step::nothing;
}

// Edits that need no model.
Compactor::Step Compactor::cut(Context& context, const Plan& due) {
  if (due.tier >= Tier::compact) tell(CompactionPhase::needed, context, due.tier, {}, due.why);
  const bool done =
      commit(context, {.edits = due.edits, .tier = due.tier, .strategy = due.strategy, .why = due.why});
  return done ? Step::changed : Step::nothing;
}

// Where a model's draft failed, the next model is asked for a summary before anything is dropped without one.
Compactor::Step Compactor::truncated(Context& context, Plan due, const PlanState& now, std::stop_token stop) {
  const bool left_to_ask = !refused_.empty() && state_.failures < 3 && !askable(context).empty();
  if (now.overflow || !left_to_ask) return cut(context, due);
  auto asking = now;
  asking.manual = true;
  asking.why = due.why;
  const Plan summary = plan(context.conversation, budget_of(context), asking);
  if (!summary.ask) return cut(context, due);
  auto result = summarise(context, summary, now, stop);
  if (stop.stop_requested()) return Step::nothing;
  if (result && commit(context, std::move(*result))) return Step::changed;
  return cut(context, due);
}

// The progress of a compaction, as the screen shows it.
void Compactor::tell(CompactionPhase phase, const Context& context, Tier tier, std::string strategy,
                     std::string why) {
  world_.emit(Compaction{.phase = phase,
                         .tier = tier,
                         .cause = cause_,
                         .before = used_of(context),
                         .strategy = std::move(strategy),
                         .why = std::move(why)});
}

// Microcompact breaks the provider's prompt cache. While that is warm it waits, unless it pays soon or room
// runs short.
bool Compactor::waits(Context& context, const Plan& due, double share) {
  const auto& gauges = context.gauges;
  const auto now = world_.now();
  const auto cost = cut_cost(saved(due.edits), cache_cost(context.conversation, due.edits, true).rewritten,
                             gauges.cache(), now, context.model, gauges.requests_per_turn());
  const bool wait = better_later(cost, share, context.config);
  if (wait && waiting_for_.empty()) {
    world_.emit(Notice{Level::info, "microcompact waits: " + describe(cost, gauges.cache(), now)});
    decided(Decided::wait, "microcompact waits: " + describe(cost, gauges.cache(), now));
  }
  waiting_for_ = wait ? describe(cost, gauges.cache(), now) : std::string();
  return wait;
}

bool Compactor::overflow(Context& context, const Failed& refusal, std::stop_token stop) {
  cause_ = Cause::overflow;
  if (refusal.asked <= 0 && refusal.limit <= 0 && half_the_attachments(context, refusal.attachments))
    return true;
  if (refusal.attachments) return false;  // nothing of them may leave, and no cut of words would help
  if (!context.config.auto_compress) {
    world_.emit(
        Notice{Level::error,
               "The provider refused the length and autoCompress is off: use /compact, or switch it on."});
    return false;
  }
  const auto before = count(context.conversation);
  if (refusal.limit > 0 && refusal.limit < context.window()) context.window_override = refusal.limit;
  context.gauges.refused(context.estimated(), refusal.asked > 0 ? refusal.asked : context.window());
  decided(Decided::overflow, "the provider refused the length: " + refusal.message);
  state_.hold_until = 0;
  const Conversation old = context.conversation;
  state_.deepest = Tier::none;
  cause_ = Cause::overflow;
  auto now = plan_state(context);
  now.manual =
      true;  // first a summary: a draft that is ready, else by whatever model still can; then without one
  now.why = "the provider refused the length";
  const bool swapped = draft_ready() && swap_draft(context, now.why) == Step::changed;
  drop_draft();
  if (const Plan due = plan(context.conversation, budget_of(context), now); due.ask && !swapped) {
    if (auto result = summarise(context, due, now, stop)) commit(context, std::move(*result));
  }
  now = plan_state(context);
  now.overflow = true;
  if (count(context.conversation) > before / 2) step(context, now, stop);
  if (stop.stop_requested()) return false;
  const auto budget = budget_of(context);
  const auto goal = before * 3 / 4;  // estimates were wrong once: leave real room
  if (count(context.conversation) > goal) {
    auto edits = truncate(context.conversation, budget, goal);
    if (!edits.empty())
      commit(context, {.edits = std::move(edits),
                       .tier = Tier::truncate,
                       .strategy = "truncate",
                       .why = "the provider refused the length: " + refusal.message});
  }
  if (count(context.conversation) >= before) {
    world_.emit(
        Notice{Level::error, "Nothing more may be removed. What fills the context: " + fills(context) + "."});
    return false;
  }
  resume_rule(context, old);
  return true;
}

}  // namespace tern
