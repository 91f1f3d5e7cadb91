#include "ui/parts/window_chart.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/parts/part_look.h"
#include "ui/parts/status_bar.h"
#include "ui/text/format.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr int chart_rows = 6, label_columns = 6;
constexpr std::string_view eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// As many points as there are columns, or fewer.
std::vector<WindowPoint> binned(const std::vector<WindowPoint>& history, std::size_t columns) {
  if (history.size() <= columns) return history;
  std::vector<WindowPoint> bins(columns);
  for (std::size_t i = 0; i < history.size(); ++i) {
    WindowPoint& bin = bins[i * columns / history.size()];
    const WindowPoint& point = history[i];
    if (point.used > bin.used) bin.parts = point.parts;
    bin.used = std::max(bin.used, point.used);
    bin.acted = std::max(bin.acted, point.acted);
    bin.freed += point.freed;
    bin.dollars += point.dollars;
  }
  return bins;
}

// What is drawn of a column of so many eighths in the row that begins at `below` eighths.
std::string_view cell(long long filled, long long below) {
  return eighths[static_cast<std::size_t>(std::clamp<long long>(filled - below, 0, 8))];
}

std::string label(int row, double top) {
  const bool shown = row == 0 || row == chart_rows - 1 || row == chart_rows / 2;
  const double share = top * (chart_rows - row) / chart_rows;
  std::string text =
      shown && row < chart_rows - 1 ? std::to_string(static_cast<int>(std::lround(share * 100))) + "%" : "";
  if (row == chart_rows - 1) text = "0";
  return std::string(static_cast<std::size_t>(std::max(0, label_columns - 2 - width(text))), ' ') + text +
         " ";
}

std::string_view tier_sign(Tier tier) {
  switch (tier) {
    case Tier::micro: return "◇";
    case Tier::compact: return "◆";
    case Tier::truncate: return "✗";
    default: return " ";
  }
}

bool itemized(const std::vector<WindowPoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const WindowPoint& point) { return !point.parts.empty(); });
}

// One kind in a column of the chart: from the layer below it up to `end` eighths.
struct Layer {
  const PartLook* look = nullptr;
  long long end = 0;
};

std::vector<Layer> layers_of(const WindowPoint& point, double eighths_a_token) {
  const std::vector<Part> unknown = {{"", point.used}};
  const std::vector<Part>& parts = point.parts.empty() ? unknown : point.parts;
  std::vector<Layer> layers;
  Tokens sum = 0;
  for (const Part& part : parts) {
    sum += part.tokens;
    const long long end = std::llround(static_cast<double>(sum) * eighths_a_token);
    if (end > (layers.empty() ? 0 : layers.back().end)) layers.push_back({&part_look(part.name), end});
  }
  if (layers.empty()) {  // what there is leaves a trace
    const auto most = std::max_element(parts.begin(), parts.end(),
                                       [](const Part& a, const Part& b) { return a.tokens < b.tokens; });
    layers.push_back({&part_look(most->name), 1});
  }
  return layers;
}

// The cell that begins at `below` eighths: where two kinds meet, one is drawn on the other.
void stacked_cell(RowBuilder& line, const std::vector<Layer>& layers, long long below, bool textured) {
  const PartLook *lowest = nullptr, *other = nullptr, *most = nullptr;
  long long low = 0, largest = 0, largest_other = 0, filled = 0, from = 0;
  for (const Layer& layer : layers) {
    const long long share = std::min(layer.end, below + 8) - std::max(from, below);
    from = layer.end;
    if (share <= 0) continue;
    filled += share;
    if (share > largest) largest = share, most = layer.look;
    if (!lowest) {
      lowest = layer.look;
      low = share;
    } else if (share > largest_other) {
      largest_other = share;
      other = layer.look;
    }
  }
  if (!most) return void(line.add(" "));
  const bool shown = filled >= 4 || below == 0;
  if (textured) return void(line.add(shown ? most->texture : " ", Style{.fg = most->colour}));
  if (!other || filled < 8) return void(line.add(cell(filled, 0), Style{.fg = most->colour}));
  line.add(cell(low, 0), Style{.fg = lowest->colour, .bg = other->colour});
}

void fill_rows(Rows& rows, const std::vector<WindowPoint>& points, const Meters& meters, bool textured) {
  const auto share = [&](const WindowPoint& point) {
    return static_cast<double>(point.used) / static_cast<double>(meters.limit);
  };
  double top = 0;
  for (const WindowPoint& point : points) top = std::max(top, share(point));
  top = top > 0.5 ? std::max(1.0, top) : top > 0.2 ? 0.5 : 0.25;
  const bool stacked = itemized(points);
  std::vector<std::vector<Layer>> columns;
  for (const WindowPoint& point : points)
    if (stacked)
      columns.push_back(layers_of(point, 8 * chart_rows / top / static_cast<double>(meters.limit)));
  for (int row = 0; row < chart_rows; ++row) {
    RowBuilder line;
    line.add(label(row, top), muted).add("│", muted);
    const long long below = 8LL * (chart_rows - 1 - row);
    for (const auto& layers : columns) stacked_cell(line, layers, below, textured);
    for (const WindowPoint& point : stacked ? std::vector<WindowPoint>() : points) {
      const long long filled = std::max<long long>(1, std::llround(share(point) / top * 8 * chart_rows));
      line.add(cell(filled, below), Style{.fg = band_colour(share(point))});
    }
    rows.push_back(line.take());
  }
}

std::string padded(std::string_view name) {
  return std::string(name) +
         std::string(static_cast<std::size_t>(std::max(0, label_columns - width(name))), ' ');
}

void tier_row(Rows& rows, const std::vector<WindowPoint>& points) {
  if (std::none_of(points.begin(), points.end(),
                   [](const WindowPoint& point) { return point.acted > Tier::snip; }))
    return;
  RowBuilder line;
  line.add(padded("tiers"), muted);
  for (const WindowPoint& point : points)
    line.add(tier_sign(point.acted),
             Style{.fg = point.acted == Tier::truncate ? Colour::bad : Colour::accent});
  rows.push_back(line.take());
}

void cost_row(Rows& rows, const std::vector<WindowPoint>& points) {
  double most = 0, sum = 0;
  for (const WindowPoint& point : points) {
    most = std::max(most, point.dollars);
    sum += point.dollars;
  }
  if (most <= 0) return;
  RowBuilder line;
  line.add(padded("cost"), muted);
  for (const WindowPoint& point : points)
    line.add(
        point.dollars > 0 ? cell(std::max<long long>(1, std::llround(point.dollars / most * 8)), 0) : " ",
        Style{.fg = Colour::muted});
  rows.push_back(line.take());
}

// The colours of the columns that there are, as in the status bar.
void fill_legend(Rows& rows, const std::vector<WindowPoint>& history, const Meters& meters, bool costs,
                 int width) {
  static constexpr std::pair<double, std::string_view> bands[] = {
      {0.0, "under 40%"}, {0.40, "40%"}, {0.60, "60%"}, {0.80, "80%"}, {0.95, "95% full"}};
  RowBuilder line;
  line.add(std::string(label_columns, ' '));
  for (std::size_t i = 0; i < std::size(bands); ++i) {
    const auto [from, name] = bands[i];
    const double to = i + 1 < std::size(bands) ? bands[i + 1].first : 1e9;
    const auto inside = [&, from = from](const WindowPoint& point) {
      const double share = static_cast<double>(point.used) / static_cast<double>(meters.limit);
      return share >= from && share < to;
    };
    if (std::none_of(history.begin(), history.end(), inside)) continue;
    line.add("█ ", Style{.fg = band_colour(from)})
        .add(i == 0 || i + 1 == std::size(bands) ? "" : "from ", muted);
    line.add(name, muted).add("  ");
  }
  if (costs) line.add("█ ", Style{.fg = Colour::muted}).add("cost", muted);
  wrap_into(rows, line.take(), width, "", std::string(label_columns, ' '));
}

// The kinds that there are, as in the list above the chart.
void kinds_legend(Rows& rows, const std::vector<WindowPoint>& history, bool costs, bool textured, int width) {
  RowBuilder line;
  line.add(std::string(label_columns, ' '));
  const auto add = [&](std::string_view part) {
    const PartLook& look = part_look(part);
    line.add(fill_of(look, textured), Style{.fg = look.colour}).add(" ").add(look.name, muted).add("  ");
  };
  static constexpr std::string_view kinds[] = {"system",    "tools",   "memory",   "user",
                                               "assistant", "results", "summaries"};
  for (const std::string_view kind : kinds)
    if (std::any_of(history.begin(), history.end(), [&](const WindowPoint& point) {
          return std::any_of(point.parts.begin(), point.parts.end(),
                             [&](const Part& part) { return part.name == kind && part.tokens > 0; });
        }))
      add(kind);
  if (std::any_of(history.begin(), history.end(),
                  [](const WindowPoint& point) { return point.parts.empty(); }))
    add("");
  if (costs) line.add("▄ ", Style{.fg = Colour::muted}).add("cost", muted);
  wrap_into(rows, line.take(), width, "", std::string(label_columns, ' '));
}

void legend(Rows& rows, const std::vector<WindowPoint>& history) {
  RowBuilder line;
  line.add(std::string(label_columns, ' '))
      .add(plural(static_cast<std::int64_t>(history.size()), "request"), muted);
  static constexpr std::pair<Tier, std::string_view> names[] = {
      {Tier::micro, "results folded"}, {Tier::compact, "compacted"}, {Tier::truncate, "truncated"}};
  for (const auto& [tier, name] : names) {
    const bool acted = std::any_of(history.begin(), history.end(),
                                   [tier = tier](const WindowPoint& point) { return point.acted == tier; });
    if (!acted) continue;
    line.add(" · ", muted)
        .add(tier_sign(tier), Style{.fg = tier == Tier::truncate ? Colour::bad : Colour::accent});
    line.add(" ").add(name, muted);
  }
  rows.push_back(line.take());
}

}  // namespace

Rows window_chart(const std::vector<WindowPoint>& history, const Meters& meters, int width, bool textured) {
  constexpr int least_columns = 8;
  const int room = width - label_columns;
  if (history.size() < 2 || room < least_columns || meters.limit <= 0) return {};
  std::vector<WindowPoint> points = binned(history, static_cast<std::size_t>(room));
  // A short session fills some of the width, so that it reads as a chart and not as a splinter.
  const std::size_t wide = std::clamp<std::size_t>(static_cast<std::size_t>(room) / points.size(), 1, 3);
  std::vector<WindowPoint> drawn;
  for (const WindowPoint& point : points) {
    for (std::size_t i = 0; i < wide; ++i) {
      drawn.push_back(point);
      if (i > 0) drawn.back().acted = Tier::none;
    }
  }
  Rows rows;
  fill_rows(rows, drawn, meters, textured);
  tier_row(rows, drawn);
  cost_row(rows, drawn);
  legend(rows, history);
  const bool costs =
      std::any_of(history.begin(), history.end(), [](const WindowPoint& point) { return point.dollars > 0; });
  if (itemized(history))
    kinds_legend(rows, history, costs, textured, width);
  else
    fill_legend(rows, history, meters, costs, width);
  return rows;
}

}  // namespace tern
