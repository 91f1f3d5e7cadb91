#include "agent/store/day_account.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "agent/protocol/local_time.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

// "2026-03-04 0000000012.345678\n": always as long, so that one write replaces it.
constexpr int line_size = 29;
constexpr std::size_t date_size = 10;

double sum_of(int fd, const std::string& day) {
  char line[line_size + 1] = {};
  if (::pread(fd, line, line_size, 0) != line_size || std::string(line, date_size) != day) return 0;
  return std::strtod(line + date_size, nullptr);
}

}  // namespace

double DayAccount::add(double dollars, TimePoint now) {
  const auto day = local_time(now, "%Y-%m-%d");
  if (std::exchange(day_, day) != day) own_ = 0;
  own_ += dollars;
  if (file_.empty()) return own_;
  const int made = dollars > 0 ? O_CREAT : 0;
  const Fd fd(::open(file_.c_str(), O_RDWR | made | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd || ::flock(fd.get(), LOCK_EX) != 0) return own_;
  const double sum = sum_of(fd.get(), day) + dollars;
  if (dollars <= 0) return sum;
  char line[64];
  const int size = std::snprintf(line, sizeof line, "%s %017.6f\n", day.c_str(), sum);
  const bool written = size == line_size && ::pwrite(fd.get(), line, line_size, 0) == line_size;
  return written ? sum : own_;
}

}  // namespace tern
