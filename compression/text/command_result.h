// What a command's result says to the model only: its cell tells people the same in its headline.
#pragma once

#include <string>
#include <string_view>

namespace tern {

inline constexpr std::string_view no_output = "(Bash completed with no output)";
inline constexpr std::string_view background_note =
    "background ";  // begins the note of a command that was left running
inline std::string exit_line(int status) { return "Exit code " + std::to_string(status); }

// The result without these lines.
inline std::string_view without_exit(std::string_view text, int status) {
  if (text == no_output) return {};
  const std::string line = exit_line(status);
  if (text == line) return {};
  return text.starts_with(line + "\n") ? text.substr(line.size() + 1) : text;
}

}  // namespace tern
