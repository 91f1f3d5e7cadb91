// The half of smuggles() that knows build tools, test runners, compilers and package managers (smuggling.cpp
// knows the rest).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// The first word of the list that `test` holds for; empty when none.
template <typename Test>
std::string_view first_option(std::string_view list, Test test) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (const std::string_view option = list.substr(begin, end - begin); test(option)) return option;
    begin = end + 1;
  }
  return {};
}

// Empty, or the word through which something else would run than the task that the rule names.
std::string smuggles_tool(const std::vector<std::string>& words);

// A word of a compiler that loads code, names another program, or hands on what may do so.
bool smuggles_compiler(std::string_view word);

}  // namespace tern
