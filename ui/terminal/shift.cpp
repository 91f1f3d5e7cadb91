#include "ui/terminal/shift.h"

#include <algorithm>
#include <cstdlib>

namespace tern {
namespace {

constexpr int least_gain = 4;

// Rows that need no painting after the move and would without it, less those that the move makes blank.
int gain(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after,
         const Shift& shift) {
  const auto stood = [&](int y) {
    return after[static_cast<std::size_t>(y)] == before[static_cast<std::size_t>(y)];
  };
  int sum = 0;
  for (int y = shift.first; y <= shift.last; ++y) sum += stood(y) ? 0 : 1;
  const int blank_from = shift.by > 0 ? shift.last + 1 : shift.first + shift.by;
  for (int y = blank_from; y < blank_from + std::abs(shift.by); ++y) sum -= stood(y) ? 1 : 0;
  return sum;
}

}  // namespace

Shift find_shift(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) {
  Shift best;
  int most = least_gain - 1;
  const int lines = static_cast<int>(std::min(before.size(), after.size()));
  for (int by = 1 - lines; by < lines; ++by) {
    if (by == 0) continue;
    const int end = std::min(lines, lines - by);
    for (int y = std::max(0, -by), first = y; y <= end; ++y) {
      const int from = y + by;
      if (y < end && after[static_cast<std::size_t>(y)] == before[static_cast<std::size_t>(from)]) continue;
      const Shift run{first, y - 1, by};
      first = y + 1;
      if (run.last - run.first < most) continue;
      if (const int spared = gain(before, after, run); spared > most) {
        most = spared;
        best = run;
      }
    }
  }
  return best;
}

}  // namespace tern
