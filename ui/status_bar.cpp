#include "ui/status_bar.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "ui/format.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

// Shades tell the parts of the bar apart without colour: what never shrinks is solid, what compresses best is lightest.
std::string_view shade(std::string_view part) {
  if (part == "system" || part == "tools" || part == "memory") return "█";
  if (part == "user" || part == "summaries") return "▓";
  return part == "assistant" ? "▒" : "░";
}

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(share * 100))) + " %"; }

double share_of(const Meters& meters) {
  return meters.effective > 0 ? static_cast<double>(meters.used) / static_cast<double>(meters.effective) : 0;
}

std::string_view next_tier(const Meters& meters, double share) {
  static thread_local std::string text;
  const double at = share < meters.micro_at     ? meters.micro_at
                    : share < meters.compact_at ? meters.compact_at
                                                : meters.truncate_at;
  text = percent(at);
  return text;
}

std::string home_relative(const std::string& path, std::string_view home) {
  const bool inside = !home.empty() && path.starts_with(home) && (path.size() == home.size() || path[home.size()] == '/');
  return inside ? "~" + path.substr(home.size()) : path;
}

struct Fact {
  std::string text;
  Style style;
  int rank;  // the lowest stay beside the bar
};
using Facts = std::vector<Fact>;

std::string forecast(const Meters& meters, double share, bool whole) {
  const std::string tier(next_tier(meters, share));
  if (meters.turns_to_next == 0) return whole ? tier + " in the next turn" : tier + " next turn";
  return "≈ " + plural(meters.turns_to_next, "turn") + (whole ? " to " + tier : "");
}

// The pieces after the bar, in their order on the screen.
Facts facts(const Meters& meters, int width) {
  if (meters.effective <= 0) return {};  // no model chosen yet
  const double share = share_of(meters);
  const std::string about = meters.estimated ? "~" : "";
  Facts out;
  out.push_back({about + percent(share), Style{.fg = band_colour(share), .bold = true}, 0});
  out.push_back({about + short_count(meters.used) + "/" + short_count(meters.effective), {}, 1});
  if (meters.turns_to_next >= 0) out.push_back({forecast(meters, share, width >= 100), muted, 2});
  if (meters.saved > 0) out.push_back({"saved " + short_count(meters.saved), Style{.fg = Colour::good}, 6});
  if (meters.cache_hit >= 0) out.push_back({"cache " + percent(meters.cache_hit), muted, 4});
  if (meters.dollars_known) out.push_back({dollars(meters.dollars), muted, 3});
  if (meters.draft_ready)
    out.push_back({"draft ready", muted, 7});
  else if (meters.draft_pending)
    out.push_back({"drafting a summary", muted, 7});
  if (meters.background_jobs > 0) out.push_back({plural(meters.background_jobs, "task"), Style{.fg = Colour::warn}, 5});
  return out;
}

int bar_columns(int width) {
  if (width < 30) return 0;
  return width < 60 ? std::clamp(width / 3, 8, 13) : std::clamp(width / 5, 16, 40);
}

int bar_room(int width) { return bar_columns(width) > 0 ? bar_columns(width) + 3 + (width >= 60 ? 1 : 0) : 0; }

// Takes out of `all` those that fit into `room`, the lowest ranks first, and keeps their order. Between two stand `gap` columns.
Facts fitting(Facts& all, int room, int gap, int always) {
  Facts ranked = all;
  std::sort(ranked.begin(), ranked.end(), [](const Fact& a, const Fact& b) { return a.rank < b.rank; });
  int highest = -1;
  for (const Fact& fact : ranked) {
    room -= tern::width(fact.text) + (highest < 0 ? 0 : gap);
    if (room < 0 && fact.rank > always) break;
    highest = fact.rank;
  }
  const auto rest = std::stable_partition(all.begin(), all.end(), [&](const Fact& fact) { return fact.rank <= highest; });
  Facts taken(std::move_iterator(all.begin()), std::move_iterator(rest));
  all.erase(all.begin(), rest);
  return taken;
}

constexpr int line_gap = 2, edge_gap = 3;

}  // namespace

Colour band_colour(double share) {
  if (share < 0.40) return Colour::good;
  if (share < 0.60) return Colour::lime;
  if (share < 0.80) return Colour::warn;
  return share < 0.95 ? Colour::orange : Colour::bad;
}

Row context_bar(const Meters& meters, int columns) {
  const double share = share_of(meters);
  const Style fill{.fg = band_colour(share)};
  std::vector<std::string_view> cells(static_cast<std::size_t>(columns), " ");
  std::vector<bool> filled(cells.size(), false);
  const Tokens whole = std::max<Tokens>(meters.effective, 1);
  Tokens sum = 0;
  std::size_t at = 0;
  for (const Part& part : meters.parts) {
    sum += part.tokens;
    const auto end = std::min<std::size_t>(
        cells.size(), static_cast<std::size_t>(std::llround(static_cast<double>(sum) * columns / static_cast<double>(whole))));
    for (; at < end; ++at) {
      cells[at] = shade(part.name);
      filled[at] = true;
    }
  }
  for (const double tier : {meters.micro_at, meters.compact_at, meters.truncate_at}) {
    const auto mark = static_cast<std::size_t>(std::clamp(static_cast<int>(tier * columns), 0, columns - 1));
    cells[mark] = "╎";
  }
  RowBuilder row;
  row.add("▕", muted);
  for (std::size_t i = 0; i < cells.size(); ++i) row.add(cells[i], filled[i] ? fill : muted);
  return row.add("▏", muted).take();
}

Row status_line(const Meters& meters, int width) {
  RowBuilder row;
  if (const int columns = bar_columns(width); columns > 0) {
    row.add(width >= 60 ? " " : "");
    const Row bar = context_bar(meters, columns);
    std::size_t at = 0;
    for (const Span& span : bar.spans) {
      row.add(std::string_view(bar.text).substr(at, span.begin - at));
      row.add(std::string_view(bar.text).substr(span.begin, span.length), span.style);
      at = span.begin + span.length;
    }
    row.add(" ");
  }
  Facts all = facts(meters, width);
  bool first = true;
  for (const Fact& fact : fitting(all, width - bar_room(width), line_gap, 1))
    row.add(std::exchange(first, false) ? "" : "  ").add(fact.text, fact.style);
  return row.take();
}

Row status_rest(const Meters& meters, int width) {
  Facts all = facts(meters, width);
  fitting(all, width - bar_room(width), line_gap, 1);
  RowBuilder row;
  for (const Fact& fact : fitting(all, width - 6, edge_gap, -1))
    row.add(row.columns() == 0 ? " " : " · ", muted).add(fact.text, fact.style);
  return row.columns() == 0 ? Row() : row.add(" ", muted).take();
}

namespace {
std::string mode_name(PermissionMode mode) {
  static constexpr std::string_view modes[] = {"ask", "accept edits", "plan", "auto", "bypass"};
  return std::string(modes[static_cast<std::size_t>(mode)]);
}
}  // namespace

std::string model_line(const Meters& meters) {
  if (meters.provider == "demo") return "model: the demo, a script and not a model";
  return "model: " + (meters.provider.empty() ? "" : meters.provider + "/") + meters.model;
}

std::string mode_and_model(const Meters& meters) {
  const std::string model = safe_text(meters.model, Lines::one), branch = safe_text(meters.branch, Lines::one);
  return " " + mode_name(meters.mode) + (model.empty() ? "" : " · " + model) + (branch.empty() ? "" : " · " + branch) + " ";
}

Row top_line(const ViewState& view, int width, std::string_view home) {
  const Meters& meters = view.meters;
  const std::string mode = mode_name(meters.mode);
  const bool loud = meters.mode == PermissionMode::bypass || meters.mode == PermissionMode::automatic;
  std::string model = safe_text(meters.model, Lines::one);
  const std::string branch = meters.branch.empty() ? "" : " · " + shorten(safe_text(meters.branch, Lines::one), 24);
  const int right = tern::width(model) + 3 + tern::width(mode) + 1;
  RowBuilder row;
  row.add(" tern", Style{.fg = Colour::accent, .bold = true});
  const int room = width - 6 - 3 - tern::width(branch) - right - 2;
  if (room >= 8) {
    row.add(" · ", muted).add(shorten_middle(safe_text(home_relative(meters.cwd, home), Lines::one), room));
    row.add(branch, muted);
  }
  if (row.columns() + right + 2 > width) model = shorten(model, std::max(0, width - row.columns() - tern::width(mode) - 6));
  const int used = row.columns() + tern::width(model) + 3 + tern::width(mode) + 1;
  row.fill_to(row.columns() + std::max(1, width - used));
  row.add(model)
      .add(model.empty() ? "" : " · ", muted)
      .add(mode, loud ? Style{.fg = Colour::warn, .bold = true} : Style{.fg = Colour::accent});
  return row.take();
}

Row working_line(const ViewState& view, int width, std::int64_t now_ms, bool page_open) {
  static constexpr std::string_view frames[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"};
  const std::string esc = page_open ? " · esc esc" : " · esc";
  RowBuilder row;
  const Compaction& compaction = view.compaction;
  const bool compacting = compaction.phase == CompactionPhase::started || compaction.phase == CompactionPhase::progress;
  if (!view.waiting.text.empty()) {
    std::string rest = view.waiting.until_ms > now_ms ? " · " + seconds(view.waiting.until_ms - now_ms + 999) : "";
    rest += esc + " to stop";
    const int room = std::max(8, width - 3 - tern::width(rest));
    row.add(" ! ", Style{.fg = Colour::warn});
    row.add(shorten(safe_text(view.waiting.text, Lines::one), room), Style{.fg = Colour::warn});
    return row.add(rest, muted).take();
  }
  if (!view.working) return {};
  const std::int64_t elapsed = std::max<std::int64_t>(0, now_ms - view.turn_started_ms);
  row.add(" " + std::string(frames[static_cast<std::size_t>(elapsed / 250) % std::size(frames)]) + " ",
          Style{.fg = Colour::accent});
  row.add(compacting ? "compacting" : "working");
  if (compacting && !compaction.strategy.empty() && width >= 60)
    row.add(" · " + shorten(safe_text(compaction.strategy, Lines::one), width / 2), muted);
  row.add(" " + seconds(elapsed), muted);
  return row.add(esc + " to interrupt", muted).take();
}

}  // namespace tern
