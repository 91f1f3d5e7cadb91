#include "tools/set/schema_format.h"

#include <algorithm>
#include <optional>

namespace tern {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "9" stands for a digit, "x" for a hexadecimal one, all else for itself.
bool has_shape(std::string_view text, std::string_view shape) {
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char wanted) {
    if (wanted == '9') return is_digit(c);
    return wanted == 'x' ? is_hex(c) : c == wanted;
  });
}

int two_digits(std::string_view text, std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); }

bool is_date(std::string_view text) {
  if (!has_shape(text, "9999-99-99")) return false;
  const int month = two_digits(text, 5), day = two_digits(text, 8);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

bool is_zone(std::string_view text) {
  return text == "Z" || text == "z" || has_shape(text, "+99:99") || has_shape(text, "-99:99");
}

// "12:30:00", with a fraction and a zone.
bool is_time(std::string_view text) {
  constexpr std::size_t seconds_end = 8;
  if (text.size() < seconds_end || !has_shape(text.substr(0, seconds_end), "99:99:99")) return false;
  if (two_digits(text, 0) > 23 || two_digits(text, 3) > 59 || two_digits(text, 6) > 60) return false;
  auto rest = text.substr(seconds_end);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    if (end == rest.begin()) return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  }
  return is_zone(rest);
}

bool is_date_time(std::string_view text) {
  constexpr std::size_t day_end = 10;
  if (text.size() <= day_end || !is_date(text.substr(0, day_end))) return false;
  const char between = text[day_end];
  return (between == 'T' || between == 't' || between == ' ') && is_time(text.substr(day_end + 1));
}

bool has_blank(std::string_view text) { return text.find_first_of(" \t\r\n") != text.npos; }

bool is_email(std::string_view text) {
  const auto at = text.rfind('@');
  return at != text.npos && at > 0 && at + 1 < text.size() && !has_blank(text);
}

bool is_uri(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos || colon == 0 || has_blank(text) || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.begin() + colon,
                     [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_ipv4(std::string_view text) {
  int parts = 0;
  for (;; ++parts) {
    const auto dot = std::min(text.find('.'), text.size());
    const auto part = text.substr(0, dot);
    if (part.empty() || part.size() > 3 || !std::all_of(part.begin(), part.end(), is_digit)) return false;
    if (part.size() == 3 && part > "255") return false;
    if (dot == text.size()) return parts == 3;
    text.remove_prefix(dot + 1);
  }
}

bool is_uuid(std::string_view text) { return has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"); }

struct Format {
  std::string_view name;
  bool (*holds)(std::string_view text);
};
constexpr Format formats[] = {{"date", is_date},   {"time", is_time}, {"date-time", is_date_time},
                              {"email", is_email}, {"uri", is_uri},   {"ipv4", is_ipv4},
                              {"uuid", is_uuid}};

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
  for (const auto& known : formats)
    if (known.name == format) return known.holds(text);
  return true;
}

}  // namespace tern
