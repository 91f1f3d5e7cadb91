// What a call came to, for people and models who will not see its result again.
#pragma once

#include <string>
#include <string_view>

#include "compression/values/conversation.h"

namespace tern {

std::string outcome_line(const ToolResult& result);  // its first line
// The whole result where it is short, else its first line and the lines that name a failure; further lines
// are indented.
std::string outcome(const ToolResult& result);

// "not found", "permission", "test failure", "compile error", "timeout", "network", "syntax", else "other".
std::string_view error_category(std::string_view text);

}  // namespace tern
