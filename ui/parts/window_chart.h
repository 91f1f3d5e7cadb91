// The window over time as a small chart: how full each request was and of what, where a tier acted, what it
// cost. Pure.
#pragma once

#include "agent/protocol/event.h"
#include "ui/text/style.h"

namespace tern {

// No rows for fewer than two requests. Of more requests than columns, several share one: the fullest, and the
// sum of their costs. `textured`: kinds are told apart by their texture, for terminals with few colours.
Rows window_chart(const std::vector<WindowPoint>& history, const Meters& meters, int width,
                  bool textured = false);

}  // namespace tern
