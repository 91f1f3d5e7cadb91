// OpenAI chat completions and the many servers that speak it. What differs between them is a value.
#pragma once

#include <memory>
#include <string_view>

#include "agent/models/chat_traits.h"
#include "agent/models/codec.h"

namespace tern {

std::unique_ptr<Codec> chat_codec(const ProviderConfig& config, ChatTraits traits);
std::unique_ptr<Codec> responses_codec(const ProviderConfig& config);
// The service itself: newer models take function tools by responses only, older ones stay with chat
// completions.
std::unique_ptr<Codec> openai_codec(const ProviderConfig& config);

bool wants_responses(std::string_view model);
bool openai_reasons(std::string_view model);  // thinks, and takes an effort; unknown names do

bool openai_searches(std::string_view model);  // loads tools it has searched for

// "low", "medium" or "high" for a budget of thinking tokens.
std::string_view effort_of(int thinking);

}  // namespace tern
