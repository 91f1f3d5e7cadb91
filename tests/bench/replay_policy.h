// The policies replay knows by name: "plan" is what the product does, the others are its units by themselves.
#pragma once

#include <stdexcept>
#include <string>

#include "compression/condense.h"

namespace tern::bench {

// `target` in the caller's tokens; `factor` = caller's tokens for each estimated one.
inline Conversation compress(const std::string& policy, const Conversation& conversation, Tokens window, Tokens target,
                             double factor) {
  Budget budget;
  budget.window = window;
  budget.reserve = 0;
  budget.calibration = factor;
  const auto estimated = static_cast<Tokens>(static_cast<double>(target) / factor);
  if (policy == "condense" || policy == "plan")
    return tern::apply(conversation, condense(conversation, budget, {.target = estimated}));
  throw std::runtime_error("no policy '" + policy + "'; there is: plan condense");
}

}  // namespace tern::bench
