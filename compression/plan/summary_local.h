// The summary without a model: what happened, grouped by kind, from counts, names and first sentences.
// Deterministic.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compression/reading/condense.h"

namespace tern {

struct CallNote {
  const ToolCall* call = nullptr;
  const ToolResult* result = nullptr;  // null when it was never answered
  RecallId recall;                     // of the result, else of the message
};

// A stretch of messages by kind; borrows from its items.
struct Groups {
  std::vector<const Item*> requests, answers;
  std::vector<CallNote> calls;
  std::vector<CallNote> errors;
  std::size_t messages = 0, images = 0, documents = 0;
  Tokens tokens = 0;
};
Groups group(const std::vector<ItemPtr>& items);

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

// The parts together within the budget: what opens the folds of the no-model summary.
std::string local_summary_text(const FoldedRounds& folded);

}  // namespace tern
