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

}  // namespace tern
