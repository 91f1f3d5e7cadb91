// What is shown of a long text whose whole is kept elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "compression/values/conversation.h"

namespace tern {

// The beginning and the end of a long text, cut between lines or at least between characters, and how much is
// missing. What went wrong stands at the end more often than not. A shorter text is given back as it is.
std::string text_ends(std::string_view text, std::size_t bytes, RecallId recall);
// How many lines the text has lost that way.
std::size_t lines_left_out(std::string_view text);

}  // namespace tern
