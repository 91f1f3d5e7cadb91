#include "agent/models/retry_wait.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace tern {
namespace {

// Milliseconds of one unit of time; nothing for another word. No word at all means seconds.
std::optional<double> unit_of_time(std::string_view word) {
  if (word == "ms" || word.starts_with("milli")) return 1;
  if (word.empty() || word == "s" || word.starts_with("sec")) return 1'000;
  if (word == "m" || word.starts_with("min")) return 60'000;
  if (word == "h" || word == "hr" || word.starts_with("hour")) return 3'600'000;
  if (word == "d" || word.starts_with("day")) return 86'400'000;
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
  double sum = 0;
  bool any = false;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))) {
    const std::string digits(text.substr(0, text.find_first_not_of("0123456789.")));
    const double number = std::strtod(digits.c_str(), nullptr);
    text.remove_prefix(digits.size());
    if (text.starts_with(' ') && !any) text.remove_prefix(1);
    const auto word =
        text.substr(0, std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), text.size()));
    const auto unit = unit_of_time(word);
    if (!unit && any) break;
    any = true, sum += number * unit.value_or(1'000);
    if (!unit || word.empty()) break;
    text.remove_prefix(word.size());
  }
  if (!any || sum > 1e10) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(sum));
}

std::optional<std::chrono::milliseconds> wait_in_text(const std::string& message) {
  for (const std::string_view phrase : {"try again in ", "retry in "})
    if (const auto at = message.find(phrase); at != message.npos)
      return read_duration(std::string_view(message).substr(at + phrase.size()));
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::string_view ms,
                                                           std::chrono::sys_seconds now) {
  using std::chrono::milliseconds;
  double number = 0;
  const auto parse = [&number](std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    number = std::strtod(copy.c_str(), &end);
    return end != copy.c_str() && *end == 0 && number >= 0 && number < 1e9;
  };
  if (!ms.empty() && parse(ms)) return milliseconds(static_cast<std::int64_t>(number));
  if (value.empty()) return std::nullopt;
  if (parse(value)) return milliseconds(static_cast<std::int64_t>(number * 1000));
  std::tm tm{};
  const std::string date(value);
  if (!strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &tm)) return std::nullopt;
  const auto when = std::chrono::sys_seconds(std::chrono::seconds(timegm(&tm)));
  return std::max(milliseconds(0), milliseconds(when - now));
}

}  // namespace tern
