#include "ui/context_panel.h"

#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/rows.h"
#include "ui/status_bar.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

std::string percent_of(Tokens part, Tokens whole) {
  if (whole <= 0) return "0.0 %";
  const auto tenths = std::llround(1000.0 * static_cast<double>(part) / static_cast<double>(whole));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string right(std::string text, int columns) {
  const int space = columns - width(text);
  return space > 0 ? std::string(static_cast<std::size_t>(space), ' ') + text : text;
}

void heading(Rows& rows, std::string_view text) {
  rows.emplace_back();
  rows.push_back(RowBuilder().add(text, Style{.bold = true}).take());
}

void part_row(Rows& rows, std::string_view name, Tokens tokens, const Meters& meters, int width, Style style) {
  RowBuilder row;
  row.add("  ").add(safe_text(name, Lines::one)).fill_to(14);
  row.add(right(short_count(tokens), 7)).add(right(percent_of(tokens, meters.effective), 9), muted).add("  ");
  const int room = std::max(0, width - row.columns() - 1);
  const auto cells =
      meters.effective > 0 ? std::llround(static_cast<double>(tokens) * room / static_cast<double>(meters.effective)) : 0;
  std::string bar;
  for (long long i = 0; i < std::clamp<long long>(cells, tokens > 0 ? 1 : 0, room); ++i) bar += "▆";
  rows.push_back(row.add(bar, style).take());
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
    const std::size_t first = std::min(text.find("  "), text.size()), begin = std::min(first + 2, text.size());
    const std::size_t second = std::min(text.find("  ", begin), text.size());
    parts.push_back({text.substr(0, first), text.substr(begin, second - begin), text.substr(std::min(second + 2, text.size()))});
    tokens = std::max(tokens, width(parts.back().tokens));
    if (width(parts.back().kind) <= 12) kind = std::max(kind, width(parts.back().kind));
  }
  std::vector<std::string> made;
  for (const Line& line : parts) {
    const int space = line.rest.empty() ? 0 : std::max(0, kind - width(line.kind));
    made.push_back(right(line.tokens, tokens) + "  " + line.kind + std::string(static_cast<std::size_t>(space), ' ') +
                   (line.rest.empty() ? "" : "  " + line.rest));
  }
  return made;
}

}  // namespace

Rows context_rows(const ContextReport& report, int width) {
  const Meters& meters = report.meters;
  Rows rows;
  const double share = meters.effective > 0 ? static_cast<double>(meters.used) / static_cast<double>(meters.effective) : 0;
  rows.push_back(context_bar(meters, std::max(8, std::min(width - 4, 100))));
  RowBuilder total;
  total.add(meters.estimated ? "~" : "").add(short_count(meters.used), Style{.fg = band_colour(share), .bold = true});
  total.add(" of " + short_count(meters.effective) + " tokens")
      .add(" (window " + short_count(meters.window) + " less the room for the answer)", muted);
  wrap_into(rows, total.take(), width);
  heading(rows, "What fills it");
  for (const Part& part : meters.parts) part_row(rows, part.name, part.tokens, meters, width, Style{.fg = band_colour(share)});
  part_row(rows, "free", std::max<Tokens>(0, meters.effective - meters.used), meters, width, muted);
  lines(rows, "Biggest", in_columns(report.top), width);
  lines(rows, "What each tier did", report.tiers, width);
  lines(rows, "Cost, forecast and pins", report.lines, width);
  return rows;
}

}  // namespace tern
