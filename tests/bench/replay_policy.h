// The policies replay knows by name: "plan" is what the product does without a model when asked for a size,
// "shipped" what it does by itself, the others are its units by themselves.
#pragma once

#include <stdexcept>
#include <string>

#include "compression/plan/microcompact.h"
#include "compression/plan/plan.h"
#include "compression/plan/removal.h"
#include "compression/reading/condense.h"
#include "compression/values/tokens.h"

namespace tern::bench {

// What the product does when the tier is due and no model answers: plan() with the strategy "local", its goal
// set to `target`, and the hard tier where that leaves too much.
inline Edits planned(const Conversation& conversation, Budget budget, Tokens target) {
  auto& config = budget.config;
  config.compact_at = 1;
  config.compact_target = static_cast<double>(target) / static_cast<double>(budget.effective());
  PlanState state;
  state.manual = true;
  state.strategy = "local";
  const auto goal = uncalibrated(target, budget);
  auto edits = plan(conversation, budget, state).edits;
  return count(tern::apply(conversation, edits)) <= goal ? edits : hard_cut(conversation, budget, goal);
}

// What the product does by itself before a request, with the defaults of its config: the tier that is due, if
// one is.
inline Edits shipped(const Conversation& conversation, Budget budget) {
  budget.config.strategy = "local";
  return plan(conversation, budget).edits;
}

struct Room {  // in the caller's tokens
  Tokens window = 0, target = 0;
  Tokens fixed = 0;   // system prompt and tools, inside the window
  double factor = 1;  // caller's tokens for each estimated one
};

inline Conversation compress(const std::string& policy, const Conversation& conversation, const Room& room) {
  const auto [window, target, fixed, factor] = room;
  Budget budget;
  budget.window = window;
  budget.reserve = 0;
  budget.fixed = static_cast<Tokens>(static_cast<double>(fixed) / factor);
  budget.calibration = factor;
  const auto goal = static_cast<Tokens>(static_cast<double>(target) / factor);
  Edits edits;
  if (policy == "shipped")
    edits = shipped(conversation, budget);
  else if (policy == "plan")
    edits = planned(conversation, budget, target);
  else if (policy == "condense")
    edits = condense(conversation, budget, {.target = goal});
  else if (policy == "results")
    edits = condense(conversation, budget, {.target = goal, .reach = CutReach::results});
  else if (policy == "texts")
    edits = condense(conversation, budget, {.target = goal, .reach = CutReach::answers});
  else if (policy == "labels")
    edits = microcompact(conversation, budget, {.target = goal, .oldest = 1.0, .kept_lines = 0});
  else if (policy == "micro")
    edits = microcompact(conversation, budget, {.target = goal, .oldest = 1.0});
  else if (policy == "middle")
    edits = remove(conversation, budget.config, Removal::middle, goal);
  else if (policy == "oldest")
    edits = remove(conversation, budget.config, Removal::oldest, goal);
  else if (policy == "select")
    edits = remove_messages(conversation, budget, goal);
  else if (policy == "truncate")
    edits = truncate(conversation, budget, goal);
  else if (policy != "none")
    throw std::runtime_error(
        "no policy '" + policy +
        "'; there is: shipped plan condense texts results micro labels middle oldest select truncate none");
  return tern::apply(conversation, edits);
}

}  // namespace tern::bench
