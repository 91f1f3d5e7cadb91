// OpenAI chat completions and the many servers that speak it. What differs between them is a value.
#pragma once

#include <memory>

#include "agent/codec.h"

namespace tern {

struct ChatTraits {
  bool first_party = false;        // max_completion_tokens, tool_choice, response_format, reasoning_effort
  bool returns_reasoning = false;  // thoughts beside calls must be sent back (DeepSeek, Kimi)
  bool may_cut_prompt = false;     // answers 200 to a prompt it silently cut
  std::string_view dialect = "chat";
};
std::unique_ptr<Codec> chat_codec(const ProviderConfig& config, ChatTraits traits);

// A server that cut the prompt reports far fewer tokens than were sent. Nothing when that is not so.
std::optional<Trouble> silent_cut(const Request& request, Tokens reported);

// "low", "medium" or "high" for a budget of thinking tokens.
std::string_view effort_of(int thinking);

}  // namespace tern
