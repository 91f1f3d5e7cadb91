// The lines that are always true: who and where above, the context and its price below. Pure over the meters.
#pragma once

#include <string>

#include "agent/protocol/event.h"
#include "ui/parts/view.h"
#include "ui/text/style.h"

namespace tern {

Colour band_colour(double share);  // 0–40 good, –60 lime, –80 yellow, –95 orange, above red
// For the first screen; the demo is called what it is.
std::string model_line(const Meters& meters);
Colour mode_colour(PermissionMode mode);
// For frames: "accept edits · shift-tab", and where there is no top line "claude-sonnet-4-5 · main*".
Row mode_mark(const Meters& meters, bool with_key);
Row model_mark(const Meters& meters, int width);
Row top_line(const ViewState& view, int width, std::string_view home);
// The bar and the facts beside it; what has no room there, for the edge of a frame.
Row status_line(const Meters& meters, int width);
Row status_rest(const Meters& meters, int width, int room);
// The context bar alone: `columns` cells between the two ends, tier marks inside, parts by shade.
Row context_bar(const Meters& meters, int columns);
// "⠹ Running ctest · 12 s · ~1.3k tokens · esc interrupt"; empty when nothing runs. An open page takes the
// first Esc.
Row working_line(const ViewState& view, int width, std::int64_t now_ms, bool page_open = false);

}  // namespace tern
