// The lines of a long output that say how it went: errors, failing tests, exit status. One fast scan, no
// regex.
#pragma once

#include <string_view>
#include <vector>

namespace tern {

struct SalientLine {
  std::size_t line;       // counted from 0
  std::string_view text;  // without newline
  bool strong;            // names a failure outright ("error:", "FAILED", "exit code"), not just the word
};

// In order, at most `most`. Counts of nothing ("0 failed", "no errors") do not speak of failure.
std::vector<SalientLine> salient_lines(std::string_view text, std::size_t most);

}  // namespace tern
