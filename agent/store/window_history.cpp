#include "agent/store/window_history.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace tern {
namespace {

constexpr std::string_view kKinds[] = {"system",    "tools",   "memory",   "user",
                                       "assistant", "results", "summaries"};  // in the order of Meters

// What a source of spending is called in the picture of the window.
std::string_view kind_of(std::string_view source) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {{"prompts", "user"},
                                                                            {"attachments", "user"},
                                                                            {"instructions", "user"},
                                                                            {"answers", "assistant"},
                                                                            {"output", "assistant"}};
  for (const auto& [name, kind] : kinds)
    if (name == source) return kind;
  const auto same = std::find(std::begin(kKinds), std::end(kKinds), source);
  return same == std::end(kKinds) ? "results" : *same;
}

std::vector<Part> parts_of(const UsageRow& row) {
  if (row.sources.empty()) return {};
  std::vector<Part> parts;
  for (const auto kind : kKinds) parts.push_back({std::string(kind)});
  for (const SourceSpend& one : row.sources) {
    const auto kind = kind_of(one.source);
    for (Part& part : parts)
      if (part.name == kind) part.tokens += one.tokens;
  }
  return parts;
}

}  // namespace

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
    if (!asks) continue;
    points.back().used = row.input + row.cache_read + row.cache_write + row.output;
    points.back().parts = parts_of(row);
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
