// Lines and names, as the describers read them.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compression/text/plain_text.h"

namespace tern {

// f(line) for each line, without its newline; stops when f returns false.
template <class F>
void each_line_while(std::string_view text, F&& f) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (!f(text.substr(0, end))) return;
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}
template <class F>
void each_line_of(std::string_view text, F&& f) {
  each_line_while(text, [&](std::string_view line) {
    f(line);
    return true;
  });
}

inline bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::string_view leading_name(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_name_char(text[n])) ++n;
  return text.substr(0, n);
}

// Takes `word` off the front when it stands there; true when it did.
inline bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "   12\tcode", "12→code" and "12|code", as read tools number lines.
struct NumberedLine {
  std::size_t number = 0;  // 0 = the line has none
  std::string_view text, mark;
};
inline NumberedLine numbered_line(std::string_view line) {
  auto rest = line;
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::size_t digits = 0, number = 0;
  while (digits < rest.size() && digits < 9 && is_digit(rest[digits]))
    number = number * 10 + static_cast<std::size_t>(rest[digits++] - '0');
  rest.remove_prefix(digits);
  for (const std::string_view mark : {"\t", "\xE2\x86\x92", "|"}) {
    if (digits > 0 && take(rest, mark)) return {number, rest, mark};
  }
  return {0, line, {}};
}

std::string grouped(std::size_t number);                        // "1,204"
std::string clipped(std::string_view text, std::size_t bytes);  // "…" at the end when cut, at a character
std::string joined(const std::vector<std::string_view>& names, std::size_t most,
                   std::string_view after = {});  // "a, b, +3 more"
void add_once(std::vector<std::string_view>& names, std::string_view name);

}  // namespace tern
