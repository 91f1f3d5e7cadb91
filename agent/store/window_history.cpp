#include "agent/store/window_history.h"

#include <algorithm>

namespace tern {

std::vector<WindowPoint> window_history(const std::vector<UsageRow>& requests,
                                        const std::vector<CompactionRecord>& compactions) {
  std::vector<WindowPoint> points;
  std::vector<TimePoint> when;  // of each point
  for (const UsageRow& row : requests) {
    const bool asks = row.purpose == "turn";
    if (asks || points.empty()) {
      points.emplace_back();
      when.push_back(row.when);
    }
    points.back().dollars += row.dollars;  // a summary or a draft belongs to the request before it
    if (asks) points.back().used = row.input + row.cache_read + row.cache_write + row.output;
  }
  for (const CompactionRecord& one : compactions) {
    if (one.undone || one.tier == Tier::none) continue;
    const auto later = std::upper_bound(when.begin(), when.end(), one.when);
    if (later == when.begin()) continue;
    WindowPoint& point = points[static_cast<std::size_t>(later - when.begin()) - 1];
    point.acted = std::max(point.acted, one.tier);
    point.freed += one.before - one.after;
  }
  return points;
}

}  // namespace tern
