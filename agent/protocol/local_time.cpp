#include "agent/protocol/local_time.h"

#include <chrono>
#include <ctime>

namespace tern {

std::string local_time(TimePoint when, const char* format) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string time_ago(TimePoint when, TimePoint now) {
  using namespace std::chrono;
  const auto minutes_ago = floor<minutes>(now - when).count();
  if (minutes_ago < 0) return local_time(when);  // a clock that was set back
  if (minutes_ago < 1) return "just now";
  if (minutes_ago < 60) return std::to_string(minutes_ago) + " min ago";
  if (minutes_ago < 24 * 60) return std::to_string(minutes_ago / 60) + " h ago";
  const auto days_ago = minutes_ago / (24 * 60);
  if (days_ago == 1) return "yesterday";
  if (days_ago < 7) return std::to_string(days_ago) + " days ago";
  return local_time(when, "%Y-%m-%d");
}

std::string time_ago(TimePoint when) {
  return time_ago(when, std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
}

}  // namespace tern
