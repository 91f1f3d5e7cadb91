// Small helpers for text, one of each. Letters are those of ASCII, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace tern {

constexpr char lower_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_char(c);
  return out;
}

constexpr bool contains(std::string_view text, std::string_view what) { return text.find(what) != text.npos; }

constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline std::string percent(double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)) + "%"; }

}  // namespace tern
