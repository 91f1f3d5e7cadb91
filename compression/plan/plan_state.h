// How a plan stands to the compactions before it.
#pragma once

#include <optional>
#include <string>

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

}  // namespace tern
