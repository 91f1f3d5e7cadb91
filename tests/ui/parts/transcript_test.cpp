#include "ui/parts/transcript.h"

#include <catch2/catch_test_macros.hpp>

#include "ui/text/width.h"

using namespace tern;

namespace {
struct Reading {
  ViewState view;
  Transcript transcript;
  int columns = 40, height = 10;
  void say(std::string text, bool user = false) {
    Cell cell;
    cell.id = view.next_cell++;
    cell.item = {view.next_cell};
    if (user)
      cell.body = UserCell{std::move(text), 0};
    else
      cell.body = AssistantCell{std::move(text), false, false};
    view.cells.push_back(std::move(cell));
  }
  std::string look() {
    transcript.sync(view, RowOptions{.width = columns}, height);
    std::string out;
    for (const Row& row : transcript.visible()) out += row.text + "\n";
    return out;
  }
};
}  // namespace

TEST_CASE("the end is shown and followed") {
  Reading world;
  for (int i = 0; i < 50; ++i) world.say("line " + std::to_string(i));
  CHECK(world.look().find("line 49") != std::string::npos);
  world.say("one more");
  CHECK(world.look().ends_with("  one more\n"));
}

TEST_CASE("reading above, nothing moves when lines come or the last one grows") {
  Reading world;
  for (int i = 0; i < 50; ++i) world.say("line " + std::to_string(i));
  world.look();
  world.transcript.scroll(-20);
  const std::string before = world.look();
  world.say("later");
  std::get<AssistantCell>(world.view.cells[49].body).markdown += "\n\nand more";
  ++world.view.cells[49].version;
  CHECK(world.look() == before);
  CHECK(world.transcript.new_rows() == 3);
  world.transcript.to_end();
  CHECK(world.look().ends_with("  later\n"));
  CHECK(world.transcript.new_rows() == 0);
}

TEST_CASE("scrolling down to the end follows again") {
  Reading world;
  for (int i = 0; i < 50; ++i) world.say("line " + std::to_string(i));
  world.look();
  world.transcript.scroll(-7);
  world.transcript.scroll(7);
  CHECK(world.transcript.following());
}

TEST_CASE("a resize keeps the place") {
  Reading world;
  for (int i = 0; i < 50; ++i)
    world.say("paragraph " + std::to_string(i) +
              " with enough words to be wrapped when the screen is narrow");
  world.look();
  world.transcript.scroll(-60);
  world.look();
  const std::string first = world.transcript.visible()[0].text + world.transcript.visible()[1].text +
                            world.transcript.visible()[2].text;
  const std::string number = first.substr(first.find("paragraph "), 12);
  world.columns = 80;
  CHECK(world.look().find(number) != std::string::npos);
}

TEST_CASE("a search finds above and marks the hit") {
  Reading world;
  for (int i = 0; i < 300; ++i) world.say(i == 17 ? "the Needle is here" : "line " + std::to_string(i));
  world.look();
  REQUIRE(world.transcript.search("needle", true));
  CHECK(world.look().find("Needle") != std::string::npos);
  CHECK_FALSE(world.transcript.search("no such thing", true));
}

TEST_CASE("a search finds what is broken over rows and marks all of it") {
  Reading world;
  world.columns = 20;
  world.say("a phrase that goes on over the edge of rows", true);
  world.say("一二三四五六七八九十甲乙丙丁");
  for (int i = 0; i < 100; ++i) world.say("line " + std::to_string(i));
  const auto marked = [&] {
    std::string text;
    for (const Row& row : world.transcript.visible())
      for (const Span& span : row.spans)
        if (span.style.inverse) text += row.text.substr(span.begin, span.length) + "|";
    return text;
  };
  world.look();
  REQUIRE(world.transcript.search("八九十甲", true));
  world.look();
  CHECK(marked() == "八九|十甲|");
  REQUIRE(world.transcript.search("goes on over the", true));
  world.look();
  CHECK(marked() == "goes|on over the|");
  REQUIRE(world.transcript.search("goes on over the edge of rows", true));
  CHECK_FALSE(world.transcript.search("goes on over the edge of rows", true));
  CHECK_FALSE(world.transcript.search("rows 一", true));
}

TEST_CASE("a drag takes the letters under both of its ends, whichever way it goes") {
  Reading world;
  world.say("abcdef中文gh", true);
  world.look();
  const auto dragged = [&](int from, int to) {
    world.transcript.press(from, 0);
    world.transcript.drag(to, 0);
    return world.transcript.release();
  };
  CHECK(dragged(3, 5) == "bcd");
  CHECK(dragged(5, 3) == "bcd");
  CHECK(dragged(4, 4) == "c");
  CHECK(dragged(9, 10) == "中文");  // the right half of one, the left half of the next
  CHECK(dragged(10, 9) == "中文");
  CHECK(dragged(4, 0) == "abc");
  CHECK(dragged(0, 4) == "abc");
}

TEST_CASE("selected text is what was said, without ornament and wraps") {
  Reading world;
  world.columns = 20;
  world.say("a long question that wraps over lines", true);
  world.say("中文 answer");
  world.look();
  world.transcript.press(0, 0);
  world.transcript.drag(30, 9);
  CHECK(world.transcript.release() == "a long question that wraps over lines\n\n中文 answer");
}

TEST_CASE("a click selects nothing") {
  Reading world;
  world.say("hello");
  world.look();
  world.transcript.press(3, 0);
  CHECK(world.transcript.release().empty());
}

TEST_CASE("a new session starts at its end") {
  Reading world;
  for (int i = 0; i < 50; ++i) world.say("old " + std::to_string(i));
  world.look();
  world.transcript.scroll(-20);
  world.look();
  world.view.cells.clear();
  world.say("fresh");
  CHECK(world.look() == "  fresh\n");
}

TEST_CASE("when the beginning comes later, what was being read stays where it is") {
  Reading world;
  for (int i = 0; i < 60; ++i) world.say("line " + std::to_string(i));
  world.look();
  world.transcript.scroll(-300);
  world.transcript.scroll(25);
  const std::string before = world.look();
  std::vector<Cell> read;
  read.swap(world.view.cells);
  for (int i = -500; i < 0; ++i) world.say("line " + std::to_string(i));
  std::move(read.begin(), read.end(), std::back_inserter(world.view.cells));
  world.transcript.catch_up();
  CHECK(world.look() == before);
  world.transcript.to_begin();
  CHECK(world.look().find("line -500") != std::string::npos);
}
