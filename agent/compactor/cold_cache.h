// The price of a cold cache: once the provider's prompt cache has expired, the next request pays for the
// whole prompt.
#pragma once

#include "agent/compactor/meters.h"
#include "compression/plan/plan.h"

namespace tern {

constexpr double worth_a_word =
    0.05;  // dollars of a request: below it nothing is said or done about the cache
constexpr double cold_saving = 0.20;  // share of them that makes compacting first worth it

struct ColdCost {
  double next = 0, compacted = -1;  // dollars of the next request's input; −1 = nothing to gain
  Plan plan;                        // what would make it so much cheaper, without a model
};
// Of a cache that is cold or will be: what old results cost that could be shortened while the prompt is
// written anew in any case.
ColdCost cold_cost(const Context& context, TimePoint now);

// Fills in what the status bar shows. Shows nothing when the model's prices or cache life are unknown.
void tell_cold(Meters& meters, const Context& context, TimePoint now);

}  // namespace tern
