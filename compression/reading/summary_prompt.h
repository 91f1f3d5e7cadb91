// What a model is asked for when it summarises: two styles, one ask. Wording only.
#pragma once

#include <string>
#include <string_view>

#include "compression/budget.h"

namespace tern {

// The whole instruction: role, private thinking, the parts of the answer, then the person's focus and the instructions of
// the memory file, which take precedence. `words` is the length to aim at.
std::string summary_prompt(SummaryStyle style, std::string_view focus, Tokens target);

// The tag that holds the answer of a style, and the tag of its private part.
struct SummaryTags {
  std::string_view answer, thinking;
};
SummaryTags summary_tags(SummaryStyle style);

// The opening line of every summary in the context.
std::string summary_opening(std::size_t messages);
inline constexpr std::string_view summary_head = "[The context was compressed: this summary stands for ";  // how it begins

}  // namespace tern
