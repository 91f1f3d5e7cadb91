// The half of smuggles() that knows build tools, test runners, compilers and package managers (smuggling.cpp
// knows the rest).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern {

// Empty, or the word through which something else would run than the task that the rule names.
std::string smuggles_tool(const std::vector<std::string>& words);

// A word of a compiler that loads code, names another program, or hands on what may do so.
bool smuggles_compiler(std::string_view word);

}  // namespace tern
