#include "agent/compactor/compactor.h"

#include <algorithm>

#include "agent/compactor/tuning.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr int steps_per_request = 6;     // tiers that may follow each other before one request
constexpr int refill_window = 2;         // compactions this few requests apart mean the context refills itself
constexpr double unhurried = 0.92;       // of the truncate mark: below it a draft may still be started instead of a pause
constexpr double draft_patience = 0.97;  // of the truncate mark: until there the draft may take its time

std::string fills(const Context& context) {
  std::string text;
  for (const auto& line : top_items(context, 3)) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

void Compactor::new_turn(std::uint64_t turn) {
  world_.turn = turn;
  refills_ = 0;
}

void Compactor::resumed(const Context& context) {
  restore_draft(context);
  preview_.reset();
  cold_ = !context.gauges.cache().warm(world_.now());
  requests_since_ = 1000;
  hold_until_ = 0;
}

PlanState Compactor::state(const Context& context) const {
  PlanState state;
  state.now = world_.now();
  state.failures_in_a_row = failures_;
  state.refills_in_a_row = refills_;
  state.cache_cold = cold_ || (context.gauges.cache().seen && !context.gauges.cache().warm(state.now));
  state.focus = focus_;
  return state;
}

Fit Compactor::make_room(Context& context, std::stop_token stop) {
  cause_ = Cause::automatic;
  fit_attachments(context);
  if (!context.config.auto_compress) return {};
  ++requests_since_;
  keep_draft(context);
  remind_of_notes(context);
  const Conversation before = context.conversation;
  Fit fit;
  deepest_ = Tier::none;
  meet_cold_cache(context);
  for (int i = 0; i < steps_per_request && !stop.stop_requested(); ++i) {
    auto now = state(context);
    const auto result = step(context, now, stop);
    if (result == Step::failed) {
      fit = {false, "The context fills up again after each compaction. What fills it: " + fills(context) +
                        ". Start anew with /clear, remove a pin, or use a model with a larger window."};
      break;
    }
    if (result == Step::nothing) break;
    cold_ = cold_ || deepest_ >= Tier::compact;  // the prefix is rewritten in any case: what else is due costs nothing more
  }
  cold_ = false;
  if (deepest_ >= Tier::compact) {
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

// One tier. Changes the context, or says that nothing is due.
Compactor::Step Compactor::step(Context& context, PlanState now, std::stop_token stop) {
  const double share = fill_share(context);
  const auto budget = budget_of(context);
  if (!now.overflow && held(context, share)) return Step::nothing;
  const bool full = share >= context.config.compact_at ||
                    compaction_due(usage(context.conversation, budget), context.conversation.items.size(), budget);
  if (draft_ && full && !now.overflow) {
    if (!draft_->done() && share < context.config.truncate_at * draft_patience && draft_->untouched(context.conversation))
      return Step::nothing;  // the summary is on its way and there is still room
    const auto why = fullness(context);
    const bool waits = !draft_->done();
    const auto waited = waits ? wait_for_draft(context, why + "; there is no more room without the draft", stop) : -1;
    if (stop.stop_requested()) {
      if (!draft_->done()) log_failure("cancelled; the draft goes on", Tier::compact);
      return Step::nothing;
    }
    if (swap_draft(context, why, waited) == Step::changed) return Step::changed;
  }
  Plan due = plan(context.conversation, budget, now);
  if (due.thrash) {
    decided(kThrash, due.why);
    tell(CompactionPhase::failed, context, due.tier, {}, due.why);
    return Step::failed;
  }
  if (due.tier == Tier::none || (due.edits.empty() && !due.ask)) return Step::nothing;
  if (due.tier == Tier::micro && !now.cache_cold && waits(context, due, share)) return Step::nothing;
  if (due.tier == Tier::micro && draft_ && !draft_->untouched(tern::apply(context.conversation, due.edits)))
    return Step::nothing;  // a summary of it is paid for: one deep cut at its mark, not two
  if (!steered(context, due, now)) return Step::nothing;
  if (due.tier == Tier::micro && context.config.micro_by_model) due.edits = lines_by_model(context, std::move(due.edits), stop);
  if (due.ask && starts_fresh(context, due)) {
    refills_ = requests_since_ <= refill_window ? refills_ + 1 : 0;
    requests_since_ = 0;
    return Step::changed;
  }
  if (due.ask && share < context.config.truncate_at * unhurried && start_draft(context, *due.ask, due.why))
    return Step::nothing;  // room enough to go on working while it is written
  if (due.tier >= Tier::compact) {
    refills_ = requests_since_ <= refill_window ? refills_ + 1 : 0;
    requests_since_ = 0;
  }
  if (due.tier == Tier::truncate) return truncated(context, std::move(due), now, stop);
  if (!due.ask) return cut(context, due);
  auto result = summarise(context, due, now, stop);
  if (!result) return Step::nothing;
  return commit(context, std::move(*result)) ? Step::changed : Step::nothing;
}

// Edits that need no model.
Compactor::Step Compactor::cut(Context& context, const Plan& due) {
  if (due.tier >= Tier::compact) tell(CompactionPhase::needed, context, due.tier, {}, due.why);
  const bool done = commit(context, {.edits = due.edits, .tier = due.tier, .strategy = due.strategy, .why = due.why});
  return done ? Step::changed : Step::nothing;
}

// Where a model's draft failed, the next model is asked for a summary before anything is dropped without one.
Compactor::Step Compactor::truncated(Context& context, Plan due, const PlanState& now, std::stop_token stop) {
  const bool left_to_ask = !refused_.empty() && failures_ < 3 && !askable(context).empty();
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
void Compactor::tell(CompactionPhase phase, const Context& context, Tier tier, std::string strategy, std::string why) {
  world_.emit(Compaction{.phase = phase,
                         .tier = tier,
                         .cause = cause_,
                         .before = used_of(context),
                         .strategy = std::move(strategy),
                         .why = std::move(why)});
}

// Microcompact breaks the provider's prompt cache. While that is warm it waits, unless it pays soon or room runs short.
bool Compactor::waits(Context& context, const Plan& due, double share) {
  const auto& gauges = context.gauges;
  const auto now = world_.now();
  const auto cost = cut_cost(saved(due.edits), cache_cost(context.conversation, due.edits, true).rewritten, gauges.cache(), now,
                             context.model, gauges.requests_per_turn());
  const bool wait = better_later(cost, share, context.config);
  if (wait && waiting_for_.empty()) {
    world_.emit(Notice{Level::info, "microcompact waits: " + describe(cost, gauges.cache(), now)});
    decided("wait", "microcompact waits: " + describe(cost, gauges.cache(), now));
  }
  waiting_for_ = wait ? describe(cost, gauges.cache(), now) : std::string();
  return wait;
}

// What a person has taken back stays so until the context has grown a good deal further.
bool Compactor::held(Context& context, double share) {
  if (hold_until_ <= 0) return false;
  if (share < hold_until_) return true;
  hold_until_ = 0;
  decided("hold ended", "the context has grown past what was taken back (" + thousands(used_of(context)) + " tokens)");
  return false;
}

bool Compactor::overflow(Context& context, const Failed& refusal, std::stop_token stop) {
  cause_ = Cause::overflow;
  if (refusal.asked <= 0 && refusal.limit <= 0 && half_the_attachments(context, refusal.attachments)) return true;
  if (refusal.attachments) return false;  // nothing of them may leave, and no cut of words would help
  if (!context.config.auto_compress) {
    world_.emit(Notice{Level::error, "The provider refused the length and autoCompress is off: use /compact, or switch it on."});
    return false;
  }
  const auto before = count(context.conversation);
  if (refusal.limit > 0 && refusal.limit < context.window()) context.window_override = refusal.limit;
  context.gauges.refused(context.estimated(), refusal.asked > 0 ? refusal.asked : context.window());
  decided("overflow", "the provider refused the length: " + refusal.message);
  hold_until_ = 0;
  const Conversation old = context.conversation;
  deepest_ = Tier::none;
  cause_ = Cause::overflow;
  auto now = state(context);
  now.manual = true;  // first a summary: a draft that is ready, else by whatever model still can; then without one
  now.why = "the provider refused the length";
  const bool swapped = draft_ready() && swap_draft(context, now.why) == Step::changed;
  drop_draft();
  if (const Plan due = plan(context.conversation, budget_of(context), now); due.ask && !swapped) {
    if (auto result = summarise(context, due, now, stop)) commit(context, std::move(*result));
  }
  now = state(context);
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
    world_.emit(Notice{Level::error, "Nothing more may be removed. What fills the context: " + fills(context) + "."});
    return false;
  }
  resume_rule(context, old);
  return true;
}

}  // namespace tern
