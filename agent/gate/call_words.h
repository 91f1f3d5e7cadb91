// The words of a call, the program first, and what every reader of them asks. Letters are those of short
// options ("-rf"); a list is words separated by blanks.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/shell_script.h"

namespace tern {

using CallWords = std::vector<std::string>;

bool in_list(std::string_view word, std::string_view blank_separated);
bool all_digits(std::string_view text);
std::string_view program_name(std::string_view word);  // without its folder

CallWords words_of(const ShellCommand& command);
// As if written so: every word is taken as it is.
ShellCommand command_of(const CallWords& words);
std::string joined(const CallWords& words);

bool has_letter(const CallWords& words, std::string_view letters);
bool has_word(const CallWords& words, std::string_view list);
bool has_option(const CallWords& words, std::string_view list);  // also as "option=value"

// "*" is anything. Whoever writes the text must not be able to make this slow.
bool line_matches(std::string_view pattern, std::string_view text);

// The first word of a list that `test` holds for; empty when none.
template <typename Test>
std::string_view first_of(std::string_view list, Test test) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (const std::string_view word = list.substr(0, end); test(word)) return word;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return {};
}

}  // namespace tern
