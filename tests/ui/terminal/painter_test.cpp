#include "ui/terminal/painter.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/support/vt.h"

using namespace tern;

namespace {
const Theme& theme() {
  static const Theme made = make_theme("dark", ColourDepth::truecolor, Background::dark);
  return made;
}
ftxui::Screen screen_of(const Rows& rows, int columns, int lines) {
  ftxui::Screen screen = blank_screen(columns, lines);
  for (std::size_t y = 0; y < rows.size(); ++y)
    draw_row(screen, rows[y], theme(), 0, static_cast<int>(y), columns);
  return screen;
}
}  // namespace

TEST_CASE("a frame equal to the last costs nothing") {
  Painter painter;
  const auto screen = screen_of({RowBuilder().add("hello").take()}, 40, 4);
  CHECK_FALSE(painter.paint(screen, {0, 0}).empty());
  CHECK(painter.paint(screen, {0, 0}).empty());
}

TEST_CASE("one more letter costs a few bytes") {
  Painter painter;
  painter.paint(screen_of({RowBuilder().add("hello").take()}, 120, 40), {5, 0});
  CHECK(painter.paint(screen_of({RowBuilder().add("hello!").take()}, 120, 40), {6, 0}).size() <= 48);
}

TEST_CASE("whatever changes, the terminal shows the frame") {
  std::mt19937 random(5);
  static constexpr std::string_view pieces[] = {"a", "b ", "中", "文字", "e\u0301", "─", " ", "   ", "x"};
  Painter painter;
  Vt vt(30, 6);
  for (int round = 0; round < 400; ++round) {
    Rows rows;
    for (int y = 0; y < 6; ++y) {
      RowBuilder row;
      for (unsigned i = 0; i < random() % 12; ++i) {
        Style style;
        if (random() % 3 == 0) style.fg = static_cast<Colour>(random() % 10);
        if (random() % 5 == 0) style.bg = Colour::added_tint;
        row.add(pieces[random() % std::size(pieces)], style);
      }
      rows.push_back(row.take());
    }
    const auto screen = screen_of(rows, 30, 6);
    vt.feed(painter.paint(screen, {0, 0}));
    REQUIRE(vt.text() == picture(screen));
  }
}

TEST_CASE("text that moves up is moved, not sent again") {
  Painter painter;
  Vt vt(100, 30);
  const auto frame = [](int from, bool bar) {
    Rows rows(30);
    rows[0] = RowBuilder().add("head").take();
    for (int y = 1; y < 27; ++y)
      rows[static_cast<std::size_t>(y)] =
          RowBuilder().add(std::to_string(from + y) + " what was said, at some length").take();
    rows[29] = RowBuilder().add(bar ? "a bar" : "the bar").take();
    return screen_of(rows, 100, 30);
  };
  vt.feed(painter.paint(frame(0, true), {0, 28}));
  for (const int from : {1, 2, 5, 4, 0, 20, 21}) {
    const auto next = frame(from, from % 2 == 0);
    const auto bytes = painter.paint(next, {0, 28});
    INFO(from);
    vt.feed(bytes);
    CHECK(vt.text() == picture(next));
    if (from == 1 || from == 21) CHECK(bytes.size() < 160);
  }
}

TEST_CASE("moved rows keep their colours") {
  std::mt19937 random(7);
  Painter painter, anew;
  Vt moved(20, 12), whole(20, 12);
  for (int round = 0; round < 300; ++round) {
    Rows rows;
    const auto from = random() % 9;
    for (unsigned y = 0; y < 12; ++y) {
      Style style;
      if (random() % 9 == 0) style.bg = Colour::added_tint;
      rows.push_back(RowBuilder().add("row " + std::to_string(y < 3 ? y : y + from), style).take());
    }
    const auto screen = screen_of(rows, 20, 12);
    moved.feed(painter.paint(screen, {0, 0}));
    anew.forget();
    whole.feed(anew.paint(screen, {0, 0}));
    REQUIRE(moved.text() == whole.text());
    const auto left = moved.cells(), right = whole.cells();
    for (std::size_t y = 0; y < left.size(); ++y)
      for (std::size_t x = 0; x < left[y].size(); ++x) REQUIRE(left[y][x].bg == right[y][x].bg);
  }
}

TEST_CASE("letters of doubtful width do not shift their neighbours") {
  Painter painter;
  Vt vt(30, 1);
  vt.feed(painter.paint(screen_of({RowBuilder().add("a👍🏽b c").take()}, 30, 1), {}));
  vt.feed(painter.paint(screen_of({RowBuilder().add("a👍🏽b d").take()}, 30, 1), {}));
  CHECK(vt.line(0).ends_with("b d"));
}

TEST_CASE("a screen of another size is drawn whole") {
  Painter painter;
  painter.paint(screen_of({RowBuilder().add("one").take()}, 20, 3), {});
  CHECK(painter.paint(screen_of({RowBuilder().add("one").take()}, 21, 3), {}).find("\x1b[2J") !=
        std::string::npos);
}

TEST_CASE("256 colours tell added lines from removed ones") {
  for (const ThemeRow& row : theme_rows()) {
    if (row.name == "auto") continue;
    INFO(row.name);
    const Theme made = make_theme(row.name, ColourDepth::palette256, row.background);
    CHECK(made[Colour::added_tint] != made[Colour::removed_tint]);
    CHECK(made[Colour::added_word] != made[Colour::added_tint]);
    CHECK(made[Colour::removed_word] != made[Colour::removed_tint]);
  }
}

TEST_CASE("themes can be read on their backgrounds") {
  for (const ThemeRow& row : theme_rows()) {
    if (row.rgb[1] < 0) continue;  // the terminal's own colours
    const RGB background = row.background == Background::light ? RGB{255, 255, 255} : RGB{22, 25, 31};
    const auto of = [&](Colour meaning) {
      const int rgb = row.rgb[static_cast<std::size_t>(meaning)];
      return RGB{rgb >> 16, rgb >> 8 & 0xFF, rgb & 0xFF};
    };
    const auto on = [&](RGB colour, Colour tint) { return contrast(colour, of(tint)); };
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Colour::orange); ++i) {
      const RGB colour{row.rgb[i] >> 16, row.rgb[i] >> 8 & 0xFF, row.rgb[i] & 0xFF};
      INFO(row.name << " colour " << i);
      CHECK(contrast(colour, background) >= 4.5);
      CHECK(on(colour, Colour::select_tint) >= 3);
    }
    for (const Colour tint :
         {Colour::added_tint, Colour::removed_tint, Colour::added_word, Colour::removed_word}) {
      INFO(row.name << " tint " << static_cast<int>(tint));
      for (const Colour syntax :
           {Colour::none, Colour::code, Colour::keyword, Colour::user, Colour::warn, Colour::accent})
        CHECK(on(of(syntax), tint) >= 4.5);
      CHECK(on(of(Colour::muted), tint) >= 3);  // comments
    }
    CHECK(on(of(Colour::good), Colour::added_edge) >= 4.5);
    CHECK(on(of(Colour::bad), Colour::removed_edge) >= 4.5);
    for (const Colour said : {Colour::none, Colour::accent, Colour::muted})
      CHECK(on(of(said), Colour::prompt_tint) >= 4.5);
    // A tint is seen at all.
    for (const Colour tint : {Colour::added_tint, Colour::removed_tint, Colour::prompt_tint})
      CHECK(contrast(of(tint), background) >= 1.08);
  }
}

TEST_CASE("a fill reaches the edge of the screen, and copies and scrollback know nothing of it") {
  Row row = RowBuilder().add("said", Style{.bg = Colour::prompt_tint}).take();
  row.fill = Colour::prompt_tint;
  const ftxui::Screen screen = screen_of({row}, 20, 1);
  for (int x = 0; x < 20; ++x) CHECK(screen.PixelAt(x, 0).background_color == theme()[Colour::prompt_tint]);
  CHECK(row.text == "said");
  const std::string lines = ansi_lines({row}, theme(), 20);
  CHECK(lines.find("said ") == std::string::npos);
}

TEST_CASE("without tints the letters have the colour: added, removed, said") {
  const Theme own = make_theme("auto", ColourDepth::ansi16, Background::unknown);
  for (const auto& [tint, colour] : {std::pair{Colour::added_tint, Colour::good},
                                     {Colour::removed_word, Colour::bad},
                                     {Colour::prompt_tint, Colour::user}}) {
    ftxui::Screen screen = blank_screen(8, 1);
    draw_row(screen, RowBuilder().add("x", Style{.bg = tint}).take(), own, 0, 0, 8);
    CHECK(screen.PixelAt(0, 0).foreground_color == own[colour]);
  }
}

TEST_CASE("what the person said can be read in the terminal's own colours, whatever they lie on") {
  const int own = theme_rows().front().rgb[static_cast<std::size_t>(Colour::user)];
  REQUIRE(own == -2 - 12);
  for (const RGB bright_blue : {RGB{0x5c, 0x5c, 0xff}, RGB{0x55, 0x55, 0xff}})  // xterm's and the console's
    for (const RGB background : {RGB{0, 0, 0}, RGB{255, 255, 255}})
      CHECK(contrast(bright_blue, background) >= 4);
}

TEST_CASE("lines that did not change are not looked at, and the terminal still shows the frame") {
  std::mt19937 random(11);
  Canvas canvas;
  Painter painter;
  Vt vt(40, 20);
  std::vector<std::string> lines(20);
  for (int round = 0; round < 300; ++round) {
    if (random() % 3 == 0) {  // all moves up
      lines.erase(lines.begin(), lines.begin() + 1 + static_cast<long>(random() % 3));
      while (lines.size() < 20) lines.push_back("new " + std::to_string(random() % 1'000) + " 中");
    }
    lines[random() % lines.size()] = std::string(random() % 40, static_cast<char>('a' + random() % 26));
    canvas.begin(40, 20);
    for (int y = 0; y < 20; ++y)
      canvas.line(y, RowBuilder().add(lines[static_cast<std::size_t>(y)]).take(), theme());
    vt.feed(painter.paint(canvas.screen(), {0, 0}, canvas.changed()));
    canvas.painted();
    REQUIRE(vt.text() == picture(canvas.screen()));
  }
}

TEST_CASE("clusters that a terminal draws wider than they count leave nothing behind") {
  static constexpr std::string_view units[] = {"\u0915\u093F\u094D\u093F\u094D",
                                               "\u1100",
                                               "👩\u200D👩\u200D👩\u200D👩",
                                               "a\uFE0F",
                                               "👍🏽",
                                               "🇩🇪",
                                               "\u0E01\u0E33",
                                               "x",
                                               " "};
  std::mt19937 random(3);
  Painter painter;
  Vt vt(24, 5);
  vt.feed("\x1b[?7l");
  for (int round = 0; round < 300; ++round) {
    Rows rows(5);
    for (int y = 1; y < 5; y += 2) {
      RowBuilder row;
      const unsigned count = random() % 14;
      for (unsigned i = 0; i < count; ++i) row.add(units[random() % std::size(units)]);
      rows[static_cast<std::size_t>(y)] = row.take();
    }
    rows[2] = RowBuilder().add("the row between").take();
    vt.feed(painter.paint(screen_of(rows, 24, 5), {0, 0}));
    REQUIRE(vt.line(0).empty());
    REQUIRE(vt.line(2) == "the row between");
    for (std::size_t y = 0; y < 5; ++y)
      rows[y] = RowBuilder().add(y == 2 ? "the row between" : "plain").take();
    vt.feed(painter.paint(screen_of(rows, 24, 5), {0, 0}));
    REQUIRE(vt.text() == "plain\nplain\nthe row between\nplain\nplain\n");
    vt.feed(painter.paint(screen_of({}, 24, 5), {0, 0}));
    REQUIRE(vt.text() == "\n\n\n\n\n");
  }
}

TEST_CASE("what is selected can be read in the terminal's own colours") {
  Row row =
      RowBuilder().add("plain ").add("code", Style{.fg = Colour::accent, .bg = Colour::select_tint}).take();
  for (const ColourDepth depth : {ColourDepth::none, ColourDepth::ansi16, ColourDepth::truecolor}) {
    const Theme theme = make_theme("auto", depth, Background::unknown);
    ftxui::Screen screen = blank_screen(20, 1);
    draw_row(screen, row, theme, 0, 0, 20);
    const ftxui::Pixel& pixel = screen.PixelAt(7, 0);
    CHECK(pixel.inverted);
    CHECK(pixel.foreground_color == ftxui::Color(ftxui::Color::Default));
    CHECK(pixel.background_color == ftxui::Color(ftxui::Color::Default));
  }
}
