// The half of smuggles() that knows build tools, test runners, compilers and package managers (smuggling.cpp
// knows the rest).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/programs.h"

namespace tern {

// Finds code that a program would run by a word its row doesn't cover: that word, or empty.
struct Smuggler {
  std::string_view programs;
  std::string (*why)(const std::vector<std::string>& words);
};
std::span<const Smuggler> tool_smugglers();

// A word with which code is loaded that the rule doesn't name.
std::string loads_code(const Program& program, const std::vector<std::string>& words);

// A word of a compiler that loads code, names another program, or hands on what may do so.
bool smuggles_compiler(std::string_view word);

}  // namespace tern
