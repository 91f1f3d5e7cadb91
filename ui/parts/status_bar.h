// The lines that are always true: who and where above, the context and its price below. Pure over the meters.
#pragma once

#include <string>

#include "agent/event.h"
#include "ui/style.h"
#include "ui/view.h"

namespace tern {

Colour band_colour(double share);  // 0–40 good, –60 lime, –80 yellow, –95 orange, above red
// For the first screen; the demo is called what it is.
std::string model_line(const Meters& meters);
std::string mode_and_model(const Meters& meters);  // " plan · claude-sonnet-4-5 · main* "
Row top_line(const ViewState& view, int width, std::string_view home);
// The bar and the facts beside it; what has no room there, for an edge of a frame of this width.
Row status_line(const Meters& meters, int width);
Row status_rest(const Meters& meters, int width);
// The context bar alone: `columns` cells between the two ends, tier marks inside, parts by shade.
Row context_bar(const Meters& meters, int columns);
// "⠹ working 12 s · esc to interrupt · draft in preparation"; empty when there is nothing to say. An open page takes the first Esc.
Row working_line(const ViewState& view, int width, std::int64_t now_ms, bool page_open = false);

}  // namespace tern
