#include "ui/status_bar.h"

#include <algorithm>
#include <cmath>
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

// The pieces after the bar, most important first: what does not fit is left out whole.
std::vector<std::pair<std::string, Style>> facts(const Meters& meters) {
  if (meters.effective <= 0) return {};  // no model chosen yet
  const double share = share_of(meters);
  const std::string about = meters.estimated ? "~" : "";
  std::vector<std::pair<std::string, Style>> out;
  out.push_back({about + percent(share), Style{.fg = band_colour(share), .bold = true}});
  out.push_back({about + short_count(meters.used) + "/" + short_count(meters.effective), {}});
  if (meters.turns_to_next == 0)
    out.push_back({std::string(next_tier(meters, share)) + " in the next turn", muted});
  else if (meters.turns_to_next > 0)
    out.push_back({"≈ " + plural(meters.turns_to_next, "turn") + " to " + std::string(next_tier(meters, share)), muted});
  if (meters.saved > 0) out.push_back({"saved " + short_count(meters.saved), Style{.fg = Colour::good}});
  if (meters.cache_hit >= 0) out.push_back({"cache " + percent(meters.cache_hit), muted});
  if (meters.dollars_known) out.push_back({dollars(meters.dollars), muted});
  if (meters.draft_ready)
    out.push_back({"draft ready", muted});
  else if (meters.draft_pending)
    out.push_back({"drafting a summary", muted});
  if (meters.background_jobs > 0) out.push_back({plural(meters.background_jobs, "task"), Style{.fg = Colour::warn}});
  return out;
}

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
  const int columns = std::clamp(width / 3, 8, 40);
  RowBuilder row;
  row.add(width >= 60 ? " " : "");
  if (width >= 30) {
    const Row bar = context_bar(meters, columns);
    std::size_t at = 0;
    for (const Span& span : bar.spans) {
      row.add(std::string_view(bar.text).substr(at, span.begin - at));
      row.add(std::string_view(bar.text).substr(span.begin, span.length), span.style);
      at = span.begin + span.length;
    }
    row.add(" ");
  }
  for (const auto& [text, style] : facts(meters)) {
    if (row.columns() + tern::width(text) > width) break;
    row.add(text, style).add("  ");
  }
  return row.take();
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
