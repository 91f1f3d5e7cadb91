// The unit a code file is indented with, and new lines brought to it where old_string matched exactly: a
// model that writes four blanks into a file of tabs means one step. Only where nothing speaks against it; a
// mixture stays as it was written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

struct IndentUnit {
  bool tabs = false;
  std::size_t width = 0;  // of one step, when it is blanks
};
std::string to_string(const IndentUnit& unit);  // "tabs", "4 blanks"

// By its name, a language that is indented with one unit and whose strings that run over lines can be
// recognised. Not Makefiles, shell, YAML, Markdown, patches: there a blank may mean what a tab does not.
bool has_one_unit(std::string_view file_name);

// What every indented line of `text` agrees on; nothing when they do not, or are too few.
std::optional<IndentUnit> unit_of(std::string_view text);

// new_text with its new lines indented by the unit of the file, for text[begin, begin + old_text) ==
// old_text. Unchanged when in doubt: lines of both kinds, an edit of indentation, depths that make no sense
// here, strings over several lines.
std::string in_unit(std::string_view text, std::size_t begin, std::string_view old_text,
                    std::string_view new_text, const IndentUnit& unit);

}  // namespace tern
