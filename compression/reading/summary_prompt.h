// What a model is asked for when it summarises: two styles, one ask. Wording only.
#pragma once

#include <string>
#include <string_view>

#include "compression/values/budget.h"

namespace tern {

// The whole instruction but for the length: role, private thinking, the parts of the answer, then the user's
// focus and the instructions of the memory file, which take precedence.
std::string summary_prompt(SummaryStyle style, std::string_view focus);

// How long the answer may be. Said once in a request: a part of a summary has a length of its own.
std::string length_note(Tokens target);

// The tag that holds the answer of a style, and the tag of its private part.
struct SummaryTags {
  std::string_view answer, thinking;
};
SummaryTags summary_tags(SummaryStyle style);

// The opening line of every summary in the context.
std::string summary_opening(std::size_t messages);
inline constexpr std::string_view summary_head =
    "[The context was compressed: this summary stands for ";  // how it begins

}  // namespace tern
