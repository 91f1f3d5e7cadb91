// OpenAI chat completions and the many servers that speak it. What differs between them is a value.
#pragma once

#include <memory>

#include "agent/models/codec.h"

namespace tern {

struct ChatTraits {
  bool first_party = false;        // max_completion_tokens, tool_choice, response_format, reasoning_effort
  bool returns_reasoning = false;  // every answer goes back with its thoughts, even with none (DeepSeek)
  bool broker = false;             // OpenRouter: reasoning in its own words, and Claude's cache on request
  bool may_cut_prompt = false;     // answers 200 to a prompt it silently cut
  std::string_view dialect = "chat";
};
std::unique_ptr<Codec> chat_codec(const ProviderConfig& config, ChatTraits traits);
std::unique_ptr<Codec> responses_codec(const ProviderConfig& config);
// The service itself: newer models take function tools by responses only, older ones stay with chat
// completions.
std::unique_ptr<Codec> openai_codec(const ProviderConfig& config);

bool wants_responses(std::string_view model);
bool openai_reasons(std::string_view model);  // thinks, and takes an effort; unknown names do

// A server that cut the prompt reports far fewer tokens than were sent. Nothing when that is not so.
std::optional<RequestError> silent_cut(const Request& request, Tokens reported);

// "low", "medium" or "high" for a budget of thinking tokens.
std::string_view effort_of(int thinking);

}  // namespace tern
