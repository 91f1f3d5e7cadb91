// Cuts that never split a character, and fast counts of characters and lines.
#pragma once

#include <cstddef>
#include <string_view>

namespace tern {

inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The greatest boundary not above `at`. Broken text (four continuation bytes in a row) is cut where asked.
inline std::size_t utf8_floor(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  std::size_t i = at;
  while (i > 0 && at - i < 4 && is_continuation(text[i])) --i;
  return is_continuation(text[i]) ? at : i;
}

// Eight bytes at a time.
std::size_t count_characters(std::string_view text);
std::size_t count_newlines(std::string_view text);

}  // namespace tern
