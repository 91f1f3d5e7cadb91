// The summary without a model: what happened, grouped by kind, from counts, names and first sentences. Deterministic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compression/conversation.h"

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

std::string system_part(const Groups& groups, Tokens after);  // counts, tokens before and after
std::string tool_part(const Groups& groups, Tokens budget);   // frequency, patterns, key results
std::string conversation_part(const Groups& groups,
                              Tokens budget);  // up to 5 topics, actions, up to 7 key points, errors by category
std::string critical_part(const Groups& groups, Tokens budget);  // changes and failures with their results
std::string user_part(const Groups& groups, Tokens budget);      // what the person wrote, word for word, newest first to fit

// The parts together within a budget; what the person wrote is left to the caller, who may keep the messages themselves.
std::string local_summary_text(const std::vector<ItemPtr>& items, Tokens budget);

// "not found", "permission", "test failure", "compile error", "timeout", "network", "syntax", else "other".
std::string_view error_category(std::string_view text);

}  // namespace tern
