#include "ui/parts/window_chart.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "ui/text/width.h"

using namespace tern;

namespace {
Meters window_of(Tokens limit) {
  Meters meters;
  meters.limit = limit;
  return meters;
}
std::string text_of(const Rows& rows) {
  std::string out;
  for (const Row& row : rows) {
    std::string line = row.text;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}
}  // namespace

TEST_CASE("the chart of the window shows the fill, where tiers acted and the cost") {
  const std::vector<WindowPoint> history = {
      {.used = 20'000, .dollars = 0.01},
      {.used = 60'000, .dollars = 0.04},
      {.used = 90'000, .acted = Tier::compact, .freed = 50'000, .dollars = 0.08},
      {.used = 40'000, .dollars = 0.02}};
  CHECK(text_of(window_chart(history, window_of(100'000), 70)) == R"(100% │      ▃▃▃
     │      ███
     │   ▅▅▅███
 50% │   ██████▃▃▃
     │▂▂▂█████████
   0 │████████████
tiers       ◆
cost  ▁▁▁▄▄▄███▂▂▂
      4 requests · ◆ compacted
      █ under 40%  █ from 40%  █ from 60%  █ from 80%  █ cost
)");
}

TEST_CASE("the chart of the window is stacked by kind, in the colours or the textures of its legend") {
  const std::vector<Part> parts = {{"system", 10'000}, {"tools", 15'000},     {"memory", 0},
                                   {"user", 5'000},    {"assistant", 20'000}, {"results", 40'000}};
  const std::vector<WindowPoint> history = {{.used = 20'000, .parts = {}}, {.used = 90'000, .parts = parts}};
  CHECK(text_of(window_chart(history, window_of(100'000), 70, true)) == R"(100% │
     │   ///
     │   ///
 50% │   ░░░
     │   ▓▓▓
   0 │???███
      2 requests
      █ system  ▓ tools  + you  ░ assistant  / results  ? unknown
)");
  const Rows rows = window_chart(history, window_of(100'000), 70);
  CHECK(text_of(rows) == R"(100% │   ▃▃▃
     │   ███
     │   ███
 50% │   ███
     │▂▂▂▄▄▄
   0 │███▅▅▅
      2 requests
      █ system  █ tools  █ you  █ assistant  █ results  █ unknown
)");
  CHECK(rows[4].spans.back().style == Style{.fg = Colour::keyword, .bg = Colour::accent});
}

TEST_CASE("a chart of many requests fits any width, and of one there is none") {
  std::vector<WindowPoint> history;
  for (int i = 0; i < 5'000; ++i)
    history.push_back({.used = i * 20, .acted = i % 997 == 5 ? Tier::micro : Tier::none});
  for (const int columns : {14, 40, 80, 200})
    for (const Row& row : window_chart(history, window_of(100'000), columns))
      CHECK(width(row.text) <= std::max(columns, 40));
  CHECK(window_chart({history[0]}, window_of(100'000), 80).empty());
  CHECK(window_chart(history, window_of(0), 80).empty());
  CHECK(window_chart(history, window_of(100), 8).empty());
}
