#include "ui/parts/status_bar.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "compression/values/tool_kinds.h"
#include "ui/terminal/frame.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

// Shades tell the parts of the bar apart without colour: what never shrinks is solid, what compresses best is
// lightest.
std::string_view shade(std::string_view part) {
  if (part == "system" || part == "tools" || part == "memory") return "█";
  if (part == "user" || part == "summaries") return "▓";
  return part == "assistant" ? "▒" : "░";
}

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(share * 100))) + "%"; }

double share_of(const Meters& meters) {
  return meters.limit > 0 ? static_cast<double>(meters.used) / static_cast<double>(meters.limit) : 0;
}

std::string home_relative(const std::string& path, std::string_view home) {
  const bool inside =
      !home.empty() && path.starts_with(home) && (path.size() == home.size() || path[home.size()] == '/');
  return inside ? "~" + path.substr(home.size()) : path;
}

struct Fact {
  std::string text;
  Style style;
  int rank;  // the lowest stay beside the bar
};
using Facts = std::vector<Fact>;

// What the next turn costs when the provider has forgotten the prompt.
std::string cold_text(const Meters& meters, bool whole) {
  const bool less = meters.cold_compacted >= 0 && meters.cold_compacted < meters.cold_dollars;
  std::string text = "cache cold · " + std::string(whole ? "next turn " : "") + dollars(meters.cold_dollars);
  if (less)
    text += whole ? " · after compacting " + dollars(meters.cold_compacted)
                  : " → " + dollars(meters.cold_compacted);
  return text;
}

constexpr int far_off = 20;  // turns; what is further away is nothing to plan for

std::string forecast(const Meters& meters, double share, bool whole) {
  const std::string verb = share < meters.compact_at ? "compacts" : "truncates";
  if (meters.turns_to_next == 0) return verb + " next turn";
  return (whole ? verb + " in ~" : "~") + plural(meters.turns_to_next, "turn");
}

// The pieces after the bar, in their order on the screen.
Facts facts(const Meters& meters, int width) {
  if (meters.limit <= 0) return {};  // no model chosen yet
  const double share = share_of(meters);
  const std::string about = meters.estimated ? "~" : "";
  Facts out;
  out.push_back({about + percent(share), Style{.fg = band_colour(share), .bold = true}, 0});
  out.push_back({about + short_count(meters.used) + "/" + short_count(meters.limit), {}, 1});
  if (meters.turns_to_next >= 0 && meters.turns_to_next < far_off)
    out.push_back({forecast(meters, share, width >= 60), muted, 2});
  if (meters.cold_in_ms == 0) out.push_back({cold_text(meters, width >= 100), Style{.fg = Colour::warn}, 2});
  if (meters.saved > 0) out.push_back({"saved " + short_count(meters.saved), muted, 6});
  if (meters.dollars_known) out.push_back({dollars(meters.dollars), muted, 3});
  if (meters.draft_ready)
    out.push_back({"draft ready", muted, 7});
  else if (meters.draft_pending)
    out.push_back({"drafting a summary", muted, 7});
  if (meters.background_jobs > 0)
    out.push_back({plural(meters.background_jobs, "task"), Style{.fg = Colour::warn}, 5});
  return out;
}

int bar_columns(int width) {
  if (width < 30) return 0;
  return width < 60 ? std::clamp(width / 3, 8, 13) : std::clamp(width / 5, 16, 32);
}

int bar_room(int width) {
  return bar_columns(width) > 0 ? bar_columns(width) + 3 + (width >= 60 ? 1 : 0) : 0;
}

// Takes out of `all` those that fit into `room`, the lowest ranks first, and keeps their order. Between two
// stand `gap` columns.
Facts fitting(Facts& all, int room, int gap, int always) {
  Facts ranked = all;
  std::sort(ranked.begin(), ranked.end(), [](const Fact& a, const Fact& b) { return a.rank < b.rank; });
  int highest = -1;
  for (const Fact& fact : ranked) {
    room -= tern::width(fact.text) + (highest < 0 ? 0 : gap);
    if (room < 0 && fact.rank > always) break;
    highest = fact.rank;
  }
  const auto rest =
      std::stable_partition(all.begin(), all.end(), [&](const Fact& fact) { return fact.rank <= highest; });
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
  const Tokens whole = std::max<Tokens>(meters.limit, 1);
  Tokens sum = 0;
  std::size_t at = 0;
  for (const Part& part : meters.parts) {
    sum += part.tokens;
    const auto end = std::min<std::size_t>(
        cells.size(), static_cast<std::size_t>(
                          std::llround(static_cast<double>(sum) * columns / static_cast<double>(whole))));
    for (; at < end; ++at) {
      cells[at] = shade(part.name);
      filled[at] = true;
    }
  }
  for (const double tier : {meters.micro_at, meters.compact_at, meters.truncate_at}) {
    if (tier > 1) continue;  // beyond what the bar shows
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

Row status_rest(const Meters& meters, int width, int room) {
  Facts all = facts(meters, width);
  fitting(all, width - bar_room(width), line_gap, 1);
  RowBuilder row;
  for (const Fact& fact : fitting(all, room, edge_gap, -1))
    row.add(row.columns() == 0 ? "" : " · ", muted).add(fact.text, fact.style);
  return row.take();
}

namespace {

std::string mode_name(PermissionMode mode) {
  static constexpr std::string_view modes[] = {"ask", "accept edits", "plan", "auto", "bypass"};
  return std::string(modes[static_cast<std::size_t>(mode)]);
}

}  // namespace

Colour mode_colour(PermissionMode mode) {
  static constexpr Colour colours[] = {Colour::muted, Colour::good, Colour::user, Colour::keyword,
                                       Colour::bad};
  return colours[static_cast<std::size_t>(mode)];
}

std::string model_line(const Meters& meters) {
  if (meters.provider == "demo") return "Demo: scripted replies, real tools on your folder.";
  return meters.model + (meters.provider.empty() ? "" : " · " + meters.provider);
}

Row mode_mark(const Meters& meters, bool with_key) {
  const Style mode{.fg = mode_colour(meters.mode), .bold = meters.mode != PermissionMode::ask};
  return RowBuilder().add(mode_name(meters.mode), mode).add(with_key ? " · shift-tab" : "", muted).take();
}

Row model_mark(const Meters& meters, int width) {
  const std::string branch = safe_text(meters.branch, Lines::one);
  const std::string text = safe_text(meters.model, Lines::one) + (branch.empty() ? "" : " · " + branch);
  return RowBuilder().add(shorten(text, std::max(0, width)), muted).take();
}

Row top_line(const ViewState& view, int width, std::string_view home) {
  const Meters& meters = view.meters;
  const std::string branch =
      meters.branch.empty() ? "" : " · " + shorten(safe_text(meters.branch, Lines::one), 24);
  std::string model = safe_text(meters.model, Lines::one);
  RowBuilder row;
  row.add(" tern", Style{.fg = Colour::accent, .bold = true});
  const int room = width - row.columns() - 3 - tern::width(branch) - tern::width(model) - 3;
  if (room >= 8) {
    row.add(" · ", muted).add(shorten_middle(safe_text(home_relative(meters.cwd, home), Lines::one), room));
    row.add(branch, muted);
  }
  model = shorten(model, std::max(0, width - row.columns() - 3));
  return row.fill_to(width - 1 - tern::width(model)).add(model, muted).take();
}

namespace {

struct Doing {
  std::string verb, what;
};

// The first command of a line.
std::string program_of(std::string_view command) {
  const std::size_t line = command.find_first_of("\n;|&");
  std::string words = safe_text(command.substr(0, line), Lines::one);
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

Doing of_tool(const ToolCell& tool) {
  if (is_own_shell(tool.tool)) return {"Running", program_of(tool.subject)};
  const std::string subject = safe_text(tool.subject, Lines::one);
  switch (tool_kind(tool.tool)) {
    case ToolKind::read: return {"Reading", subject};
    case ToolKind::search: return {"Searching", subject};
    case ToolKind::edit: return {"Writing", subject};
    default: break;
  }
  return {"Running", safe_text(tool.label.empty() ? tool.tool : tool.label, Lines::one)};
}

Doing doing(const ViewState& view) {
  const Compaction& compaction = view.compaction;
  if (compaction.phase == CompactionPhase::started || compaction.phase == CompactionPhase::progress)
    return {"Compacting", safe_text(compaction.strategy, Lines::one)};
  constexpr std::size_t reach = 8;  // only the last cells can be at work
  for (std::size_t back = 1; back <= std::min(view.cells.size(), reach); ++back) {
    const CellBody& body = view.cells[view.cells.size() - back].body;
    if (const auto* tool = std::get_if<ToolCell>(&body); tool && tool->running) return of_tool(*tool);
    if (const auto* answer = std::get_if<AssistantCell>(&body); answer && answer->streaming)
      return {"Writing", ""};
    if (const auto* thought = std::get_if<ThinkingCell>(&body); thought && thought->streaming)
      return {"Thinking", ""};
  }
  return {"Waiting for the model", ""};
}

Row waiting_line(const ViewState& view, int width, std::int64_t now_ms, std::string_view esc) {
  const std::int64_t left_ms = view.waiting.until_ms - now_ms;
  std::string rest = retry_text(view.waiting, left_ms);
  if (width < 60 && !rest.empty()) rest = left_ms > 0 ? std::to_string((left_ms + 999) / 1'000) + "s" : "";
  if (!rest.empty()) rest.insert(0, " · ");
  Row hint = key_hints({{esc, "stop"}}, width);
  const int room = std::max(8, width - 3 - tern::width(rest) - tern::width(hint.text) - 3);
  Row row = RowBuilder()
                .add(" ! ", Style{.fg = Colour::warn})
                .add(shorten(safe_text(view.waiting.text, Lines::one), room), Style{.fg = Colour::warn})
                .add(rest + " · ", muted)
                .take();
  append(row, hint);
  return row;
}

}  // namespace

Row working_line(const ViewState& view, int width, std::int64_t now_ms, bool page_open) {
  static constexpr std::string_view frames[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"};
  const std::string_view esc = page_open ? "esc esc" : "esc";
  if (!view.waiting.text.empty()) return waiting_line(view, width, now_ms, esc);
  if (!view.working) return {};
  const std::int64_t until = view.asked_ms >= 0 ? view.asked_ms : now_ms;
  const std::int64_t elapsed = std::max<std::int64_t>(0, until - view.turn_started_ms);
  std::string rest = " · " + seconds(elapsed);
  if (view.turn_tokens >= 100 && width >= 60) rest += " · ~" + short_count(view.turn_tokens) + " tokens";
  const Row hint = key_hints({{esc, "interrupt"}}, width);
  const Doing now = doing(view);
  const int room = width - 4 - tern::width(now.verb) - tern::width(rest) - 3 - tern::width(hint.text);
  Row row =
      RowBuilder()
          .add(" " + std::string(frames[static_cast<std::size_t>(elapsed / 250) % std::size(frames)]) + " ",
               Style{.fg = Colour::accent})
          .add(now.verb)
          .add(now.what.empty() || room < 8 ? "" : " " + shorten(now.what, std::min(room - 1, 48)))
          .add(rest + " · ", muted)
          .take();
  append(row, hint);
  return row;
}

}  // namespace tern
