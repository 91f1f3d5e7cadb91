// Small helpers of the slash commands: words of an argument line, and numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

std::vector<std::string> split_words(std::string_view text);
std::optional<int> count_in(std::string_view text);  // 1, 2 …; nothing when it is no such number
int number_of(std::string_view text);                // 1 when it is none

}  // namespace tern
