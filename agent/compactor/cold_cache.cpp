#include "agent/compactor/cold_cache.h"

#include <algorithm>
#include <utility>

#include "agent/compactor/compactor.h"

namespace tern {
namespace {

// Caches are refilled at the price of a write, where there is one, of the life that the next request would
// ask for.
double dollars_to_write(Tokens tokens, const Context& context) {
  const bool hour = context.config.long_cache && context.gauges.pauses().hour_pays();
  return static_cast<double>(tokens) * write_price(context.model, hour) / 1e6;
}

bool matters(const Context& context) { return context.model.priced && context.gauges.cache().seen; }

}  // namespace

ColdCost cold_cost(const Context& context, TimePoint now) {
  ColdCost cost;
  const auto used = used_of(context);
  cost.next = dollars_to_write(used, context);
  if (cost.next < worth_a_word) return cost;
  auto budget = budget_of(context);
  budget.config.micro_at = std::min(budget.config.micro_at, fill_share(context) * 0.99);
  PlanState state;
  state.now = now;
  state.cache_cold = true;
  auto due = plan(context.conversation, budget, state);
  if (due.tier != Tier::micro || due.edits.empty()) return cost;
  const auto after = usage(tern::apply(context.conversation, due.edits), budget).used;
  cost.compacted = dollars_to_write(after, context);
  cost.plan = std::move(due);
  return cost;
}

void tell_cold(Meters& meters, const Context& context, TimePoint now) {
  if (!matters(context)) return;
  const auto& cache = context.gauges.cache();
  const auto cost = cold_cost(context, now);
  if (cost.next < worth_a_word) return;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - cache.last_request).count();
  const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(cache.life).count();
  meters.cold_in_ms = std::clamp<std::int64_t>(life - age, 0, life);
  meters.cold_dollars = cost.next;
  meters.cold_compacted = cost.compacted;
}

// The prefix is written anew in any case: what would be shortened soon is shortened now, where that saves a
// good part.
void Compactor::meet_cold_cache(Context& context) {
  const auto now = world_.now();
  const bool cold = matters(context) && !context.gauges.cache().warm(now);
  if (!cold || context.config.cold_cache == ColdCache::leave || state_.holds(fill_share(context))) return;
  const auto rows = world_.store.compactions();
  const auto& asked = context.gauges.cache().last_request;
  const bool taken_back = std::any_of(rows.begin(), rows.end(), [&](const CompactionRecord& row) {
    return row.undone && row.tier == Tier::micro && row.when > asked;
  });
  if (taken_back) return;  // by a person, since the last request
  auto cost = cold_cost(context, now);
  if (cost.compacted < 0 || cost.compacted > cost.next * (1 - cold_saving)) return;
  const auto why = "the provider's cache is cold: this request would cost " + money(cost.next) +
                   ", shortened " + money(cost.compacted);
  if (context.config.cold_cache == ColdCache::ask && !(world_.confirm && world_.confirm(why)))
    return decided(Decided::cold_cache, why + "; left as it is");
  if (!steered_cut(context, cost.plan.edits, why, true)) return;
  commit(
      context,
      {.edits = std::move(cost.plan.edits), .tier = Tier::micro, .strategy = cost.plan.strategy, .why = why});
}

}  // namespace tern
