// What a word of bash looks like, apart from its quotes: digits, a plain name, the beginning of an
// assignment. Internal to the parser.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "agent/gate/call_words.h"
#include "agent/gate/shell_words.h"

namespace tern {

// bash expands the word behind ">&" a second time, after its quotes are gone: ">&'$(x)'" runs x.
inline bool only_name(const ShellWord& word) {
  return !word.quoted && std::all_of(word.text.begin(), word.text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Length of "NAME=", "NAME+=" or "NAME[…]=" at the start; 0 when there is none.
inline std::size_t assignment_prefix(std::string_view s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) return 0;
  std::size_t at = 0;
  while (at < s.size() && is_name(s[at])) ++at;
  if (at == 0) return 0;
  if (at < s.size() && s[at] == '[') at = std::min(s.find(']', at), s.size() - 1) + 1;
  if (at < s.size() && s[at] == '+') ++at;
  return at < s.size() && s[at] == '=' ? at + 1 : 0;
}

}  // namespace tern
