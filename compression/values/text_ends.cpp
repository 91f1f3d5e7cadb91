#include "compression/values/text_ends.h"

#include <algorithm>

namespace tern {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// "12345678" -> "12,345,678"
std::string grouped(std::size_t n) {
  auto text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

constexpr std::string_view mark = "[… ", lines_mark = " lines, ";

}  // namespace

std::size_t lines_left_out(std::string_view text) {
  std::size_t lines = 0;
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const auto row = text.substr(at + mark.size(), text.substr(at + mark.size()).find('\n'));
    const auto digits = row.find_first_not_of("0123456789,");
    if (digits == row.npos || !row.substr(digits).starts_with(lines_mark) ||
        row.find(" not shown here") == row.npos)
      continue;
    std::size_t number = 0;
    for (const char c : row.substr(0, digits))
      if (c != ',') number = number * 10 + static_cast<std::size_t>(c - '0');
    lines += number;
  }
  return lines;
}

std::string text_ends(std::string_view text, std::size_t bytes, RecallId recall) {
  if (text.size() <= bytes || bytes == 0) return std::string(text.substr(0, bytes));
  const std::size_t half = bytes / 2;
  std::size_t from = half, to = text.size() - half;
  if (const auto line = text.rfind('\n', from - 1); line != text.npos && line >= half / 2)
    from = line + 1;
  else
    while (from > 0 && !begins_character(text[from])) --from;
  if (const auto line = text.find('\n', to); line != text.npos && line < text.size() - half / 2)
    to = line + 1;
  else
    while (to < text.size() && !begins_character(text[to])) ++to;
  const auto hidden = text.substr(from, to - from);
  const auto characters =
      static_cast<std::size_t>(std::count_if(hidden.begin(), hidden.end(), begins_character));
  std::string out(text.substr(0, from));
  if (!out.empty() && out.back() != '\n') out += '\n';
  const auto earlier = lines_left_out(hidden);  // by a mark of before, which is a line itself
  const auto lines = static_cast<std::size_t>(std::count(hidden.begin(), hidden.end(), '\n')) +
                     (earlier > 0 ? earlier - 1 : 0);
  out += std::string(mark) + (lines > 1 ? grouped(lines) + std::string(lines_mark) : std::string()) +
         grouped(characters) + " characters not shown here" +
         (recall ? ": /recall " + to_string(recall) : "") + "]\n";
  return out.append(text.substr(to));
}

}  // namespace tern
