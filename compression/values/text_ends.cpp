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

}  // namespace

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
  out += "[… " + grouped(characters) + " characters not shown here" +
         (recall ? ": /recall " + to_string(recall) : "") + "]\n";
  return out.append(text.substr(to));
}

}  // namespace tern
