// Line differences as a unified diff: what the screen shows of an edit, and what changed behind the model's
// back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// Lines with their endings; the last one may have none.
std::vector<std::string_view> split_lines(std::string_view text);

// Pairs (index in a, index in b) of equal lines, in order: a longest common subsequence, or a good one when
// large.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::string_view>& a,
                                                              const std::vector<std::string_view>& b);

struct Diff {
  std::string text;  // "@@ -1,4 +1,5 @@" hunks; no file header; empty = equal
  std::size_t added = 0, removed = 0, first_line = 0;  // first changed line of the new text, 1-based
};
Diff unified_diff(std::string_view before, std::string_view after, std::size_t context = 3);

std::string change_note(const Diff& diff);  // "+2 −1"

}  // namespace tern
