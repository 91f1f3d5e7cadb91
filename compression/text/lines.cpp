#include "compression/text/lines.h"

#include <algorithm>

#include "compression/text/utf8.h"

namespace tern {

std::string grouped(std::size_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string clipped(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(text.substr(0, utf8_floor(text, bytes))) + "\xE2\x80\xA6";
}

std::string joined(const std::vector<std::string_view>& names, std::size_t most, std::string_view after) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text.append(text.empty() ? "" : ", ").append(names[i]).append(after);
  }
  if (names.size() > most) text += ", +" + std::to_string(names.size() - most) + " more";
  return text;
}

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  constexpr std::size_t most = 200;
  if (name.empty() || names.size() >= most || std::find(names.begin(), names.end(), name) != names.end())
    return;
  names.push_back(name);
}

}  // namespace tern
