// The letters that most text is made of, known without a look at Unicode's tables.
#pragma once

#include <cstddef>
#include <string_view>

namespace tern {

inline bool plain_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// Whether the letter at `at` is a cluster of its own for certain: one byte, one column. False says nothing.
inline bool plain_cluster(std::string_view text, std::size_t at) {
  return plain_ascii(text[at]) && (at + 1 >= text.size() || plain_ascii(text[at + 1]));
}

}  // namespace tern
