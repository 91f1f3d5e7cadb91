// How full the window was, request by request, what acted on it and what it cost: for charts.
#pragma once

#include <vector>

#include "agent/protocol/context_event.h"
#include "agent/store/store_types.h"

namespace tern {

// One point for each request of a turn; what a summary cost belongs to the request before it. Both lists
// oldest first.
std::vector<WindowPoint> window_history(const std::vector<UsageRow>& requests,
                                        const std::vector<CompactionRecord>& compactions);

}  // namespace tern
