// The window over time as a drawing (SVG) for the report: one bar a request, a line where each tier acts.
#pragma once

#include <string>
#include <vector>

#include "agent/protocol/context_event.h"

namespace tern {

// `marks`: shares of `limit`; those of zero or above one are not drawn. Holds only what it computes: no text
// of the session.
std::string report_chart(const std::vector<WindowPoint>& history, Tokens limit,
                         const std::vector<double>& marks);

}  // namespace tern
