// Which rows of a screen only moved since the last frame. Pure over one number per row that stands for its
// text.
#pragma once

#include <cstdint>
#include <vector>

namespace tern {

struct Shift {
  int first = 0, last = 0;  // these rows of the new screen
  int by = 0;               // stood so many rows lower before; negative: higher; 0: moving nothing is best
};

// The move that spares most rows. One that spares fewer than four costs more than it saves.
Shift find_shift(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after);

}  // namespace tern
