// A view of text in which differences that do not matter for finding a place are gone, with the way back to
// every byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class Fold {
  line_endings,  // "\r\n" and lone "\r" become "\n"
  typography,    // and curly quotes, special blanks and dashes become the plain ones
  line_ends,     // and blanks before a line's end are gone
};

class Folded {
 public:
  Folded(std::string_view text, Fold how);
  const std::string& text() const { return text_; }
  std::size_t begin_of(std::size_t position) const {
    return begins_[position];
  }                                                // of the character at `position`
  std::size_t end_of(std::size_t position) const;  // of the last character before it

 private:
  void drop_blanks();
  std::string_view source_;
  std::string text_;
  std::vector<std::uint32_t> begins_;
};

std::string fold(std::string_view text, Fold how);

struct Line {
  std::string_view body, ending;  // ending: "", "\n", "\r\n" or "\r"
  std::string_view indent() const;
  std::string_view rest() const { return body.substr(indent().size()); }
};

// Lines by the endings the text uses; a lone "\r" ends one only where there is no "\n" at all. A text that
// ends in a line ending has no phantom line after it; the empty text has one empty line.
std::vector<Line> lines_of(std::string_view text);
bool uses_only_cr(std::string_view text);
std::string_view trimmed(std::string_view text);

}  // namespace tern
