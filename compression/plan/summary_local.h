// The summary without a model: what happened, grouped by kind, from counts, names and first sentences.
// Deterministic.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compression/plan/message_groups.h"
#include "compression/plan/plan_state.h"
#include "compression/reading/condense.h"
#include "compression/values/budget.h"

namespace tern {

// How the key points of the answers are chosen and ordered.
struct PointOrder {
  double threshold = 0.3;                              // importanceThreshold: an answer below it is no point
  std::unordered_map<const Item*, std::size_t> topic;  // cluster of each answer, in the order of the talk
  std::vector<std::string> topics;
  std::unordered_set<const Item*> referenced;  // named again later
};

std::string system_part(const Groups& groups, std::string_view after);  // counts, tokens before and after
std::string tool_part(const Groups& groups, Tokens budget);             // frequency, patterns, key results
// Up to 5 topics, actions, errors by category, up to 7 key points: the most important, topic by topic.
std::string conversation_part(const Groups& groups, Tokens budget, const PointOrder& order = {});
std::string critical_part(const Groups& groups, Tokens budget);  // changes and failures with their results
std::string user_part(const Groups& groups,
                      Tokens budget);  // what the person wrote, word for word, newest first to fit

// Tier 3 without a model; the last steps of the fallback ladder.
Edits local_summary(const Conversation& conversation, const Budget& budget, const PlanState& state);

// The parts together within the budget: what opens the folds of the no-model summary.
std::string local_summary_text(const FoldedRounds& folded);

}  // namespace tern
