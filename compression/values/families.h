// The tokenizers of the models' families: how many tokens each makes of the same pieces. The weights are
// fitted to the public tokenizers (tests/tokenizers); what a provider reports corrects them as the session
// goes on.
#pragma once

#include <optional>
#include <string_view>

#include "compression/values/conversation.h"
#include "compression/values/pieces.h"

namespace tern {

enum class Family { claude, cl100k, o200k, gemini, llama, qwen, deepseek, mistral };
constexpr std::size_t families = 8;

// By the model's name, wherever it is served; none when the name says nothing.
std::optional<Family> family_of(std::string_view model);

Tokens weigh(const Pieces& pieces, Family family);

}  // namespace tern
