#include "ui/parts/context_panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ui/parts/part_look.h"
#include "ui/parts/rows.h"
#include "ui/parts/status_bar.h"
#include "ui/parts/window_chart.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

std::string percent_of(Tokens part, Tokens whole) {
  if (whole <= 0) return "0.0%";
  const auto tenths = std::llround(1000.0 * static_cast<double>(part) / static_cast<double>(whole));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

std::string repeat(std::string_view piece, long long times) {
  std::string out;
  for (long long i = 0; i < times; ++i) out += piece;
  return out;
}

std::string right(std::string text, int columns) {
  const int space = columns - width(text);
  return space > 0 ? std::string(static_cast<std::size_t>(space), ' ') + text : text;
}

void heading(Rows& rows, std::string_view text) {
  rows.emplace_back();
  rows.push_back(RowBuilder().add(text, Style{.bold = true}).take());
}

// Eighths of a cell, so that a thousandth is not drawn like a tenth.
std::string fine_bar(Tokens tokens, Tokens whole, int columns) {
  static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (whole <= 0 || tokens <= 0) return {};
  const auto parts = std::llround(8.0 * static_cast<double>(tokens) * columns / static_cast<double>(whole));
  const long long shown = std::clamp<long long>(parts, 1, 8LL * columns);
  return repeat("█", shown / 8) + std::string(eighths[shown % 8]);
}

void part_row(Rows& rows, std::string_view name, Tokens tokens, const Meters& meters, int width,
              ChartLook charts) {
  const PartLook& look = part_look(name);
  const bool textured = charts == ChartLook::textures, free = name == "free";
  const Style style{.fg = look.colour};
  RowBuilder row;
  if (charts != ChartLook::words) row.add(free && !textured ? "░" : fill_of(look, textured), style).add(" ");
  row.add(look.name).fill_to(13);
  row.add(right(short_count(tokens), 7)).add(right(percent_of(tokens, meters.limit), 8), muted).add("  ");
  if (charts == ChartLook::words) return rows.push_back(row.take());
  const int room = std::max(0, std::min(width, longest_prose) - row.columns() - 1);
  if (!free && textured)
    row.add(repeat(look.texture, tokens * room / std::max<Tokens>(meters.limit, 1)), style);
  else if (!free)
    row.add(fine_bar(tokens, meters.limit, room), style);
  rows.push_back(row.take());
}

// The window from left to right in the colours of the list, with a mark where each tier acts.
Rows window_bar(const Meters& meters, int columns, bool textured) {
  std::vector<const PartLook*> cells(static_cast<std::size_t>(columns), nullptr);
  const Tokens whole = std::max<Tokens>(meters.limit, 1);
  Tokens sum = 0;
  std::size_t at = 0;
  for (const Part& part : meters.parts) {
    sum += part.tokens;
    const auto end = std::llround(static_cast<double>(sum) * columns / static_cast<double>(whole));
    for (; at < std::min(cells.size(), static_cast<std::size_t>(end)); ++at)
      cells[at] = &part_look(part.name);
  }
  const std::pair<double, std::string_view> tiers[] = {
      {meters.micro_at, "fold results"}, {meters.compact_at, "compact"}, {meters.truncate_at, "truncate"}};
  const auto marked = [&](std::size_t cell) {
    return std::any_of(std::begin(tiers), std::end(tiers), [&](const auto& tier) {
      return tier.first <= 1 && cell == static_cast<std::size_t>(std::clamp(
                                            static_cast<int>(tier.first * columns), 0, columns - 1));
    });
  };
  RowBuilder bar;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const PartLook& look = cells[i] ? *cells[i] : part_look("free");
    const std::string_view fill = cells[i] || textured ? fill_of(look, textured) : "░";
    bar.add(marked(i) ? "╎" : fill, Style{.fg = look.colour});
  }
  std::string legend = "╎";
  for (const auto& [share, name] : tiers)
    if (share <= 1)
      legend += (legend.size() > 3 ? " · " : " ") +
                std::to_string(static_cast<int>(std::lround(share * 100))) + "% " + std::string(name);
  Rows rows = {bar.take()};
  wrap_into(rows, RowBuilder().add(legend, muted).take(), columns);
  return rows;
}

void lines(Rows& rows, std::string_view title, const std::vector<std::string>& texts, int width) {
  if (texts.empty()) return;
  heading(rows, title);
  for (const std::string& text : texts)
    wrap_into(rows, RowBuilder().add(safe_text(text, Lines::one)).take(), width, "  ", "    ");
}

// "12k  Read  src/a.cpp", one below the other in columns.
std::vector<std::string> in_columns(const std::vector<std::string>& texts) {
  struct Line {
    std::string tokens, kind, rest;
  };
  std::vector<Line> parts;
  int tokens = 0, kind = 0;
  for (const std::string& text : texts) {
    const std::size_t first = std::min(text.find("  "), text.size()),
                      begin = std::min(first + 2, text.size());
    const std::size_t second = std::min(text.find("  ", begin), text.size());
    parts.push_back({text.substr(0, first), text.substr(begin, second - begin),
                     text.substr(std::min(second + 2, text.size()))});
    tokens = std::max(tokens, width(parts.back().tokens));
    if (width(parts.back().kind) <= 12) kind = std::max(kind, width(parts.back().kind));
  }
  std::vector<std::string> made;
  for (const Line& line : parts) {
    const int space = line.rest.empty() ? 0 : std::max(0, kind - width(line.kind));
    made.push_back(right(line.tokens, tokens) + "  " + line.kind +
                   std::string(static_cast<std::size_t>(space), ' ') +
                   (line.rest.empty() ? "" : "  " + line.rest));
  }
  return made;
}

std::string limit_reason(const Meters& meters) {
  if (meters.limit < meters.effective)
    return " (where this model works best; its window is " + short_count(meters.window) + ")";
  return " (window " + short_count(meters.window) + " minus room for the answer)";
}

}  // namespace

Rows context_rows(const ContextReport& report, int width, ChartLook charts) {
  const Meters& meters = report.meters;
  const bool textured = charts == ChartLook::textures, drawn = charts != ChartLook::words;
  Rows rows;
  const double share =
      meters.limit > 0 ? static_cast<double>(meters.used) / static_cast<double>(meters.limit) : 0;
  if (drawn) append(rows, window_bar(meters, std::max(8, std::min(width, longest_prose)), textured));
  RowBuilder total;
  total.add(meters.estimated ? "~" : "")
      .add(short_count(meters.used), Style{.fg = band_colour(share), .bold = true});
  total.add(" of " + short_count(meters.limit) + " tokens").add(limit_reason(meters), muted);
  wrap_into(rows, total.take(), width);
  heading(rows, "What fills it");
  for (const Part& part : meters.parts) part_row(rows, part.name, part.tokens, meters, width, charts);
  part_row(rows, "free", std::max<Tokens>(0, meters.limit - meters.used), meters, width, charts);
  Rows chart;
  if (drawn) chart = window_chart(report.history, meters, std::min(width, longest_prose), textured);
  if (!chart.empty()) {
    heading(rows, "The window over time");
    append(rows, std::move(chart));
  }
  lines(rows, "Biggest", in_columns(report.top), width);
  lines(rows, "What each tier did", report.tiers, width);
  lines(rows, "Cost, forecast and pins", report.lines, width);
  return rows;
}

}  // namespace tern
