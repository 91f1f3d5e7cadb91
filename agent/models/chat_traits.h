// What differs between the many servers that speak chat completions.
#pragma once

#include <string_view>

namespace tern {

struct ChatTraits {
  bool first_party = false;        // max_completion_tokens, tool_choice, response_format, reasoning_effort
  bool returns_reasoning = false;  // every answer goes back with its thoughts, even with none (DeepSeek)
  bool broker = false;             // OpenRouter: reasoning in its own words, and Claude's cache on request
  bool may_cut_prompt = false;     // answers 200 to a prompt it silently cut
  std::string_view dialect = "chat";
};

}  // namespace tern
