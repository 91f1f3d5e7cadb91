// Small helpers of the slash commands: words of an argument line, numbers, and prompts by their number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/view.h"

namespace tern {

std::vector<std::string> split_words(std::string_view text);
int number_of(std::string_view text);                                               // 1 when it is none
std::optional<ItemId> item_of_prompt(const ViewState& view, std::string_view nth);  // "3": the third prompt from the start

}  // namespace tern
