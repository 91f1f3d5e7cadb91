#include "ui/parts/composer.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "ui/text/width.h"

using namespace tern;

namespace {
void press(Composer& composer, std::string_view name) {
  KeyPress key;
  REQUIRE(parse_key_name(name, key));
  composer.key(key);
}
void type(Composer& composer, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = next_cluster(text, at).bytes;
    composer.insert(text.substr(at, bytes));
    at += bytes;
  }
}
}  // namespace

TEST_CASE("emacs fingers find what they expect") {
  Composer c;
  type(c, "hello brave world");
  press(c, "ctrl-w");
  CHECK(c.text() == "hello brave ");
  press(c, "ctrl-a");
  press(c, "alt-f");
  press(c, "ctrl-k");
  CHECK(c.text() == "hello");
  press(c, "ctrl-y");
  CHECK(c.text() == "hello brave ");
  press(c, "alt-y");
  CHECK(c.text() == "helloworld");
  press(c, "ctrl-u");
  CHECK(c.text().empty());
}

TEST_CASE("kills in a row come back as one") {
  Composer c;
  type(c, "one two three");
  press(c, "ctrl-w");
  press(c, "ctrl-w");
  press(c, "ctrl-y");
  CHECK(c.text() == "one two three");
}

TEST_CASE("undo takes back a run of typing, not a letter") {
  Composer c;
  type(c, "word");
  type(c, " ");
  type(c, "next");
  press(c, "ctrl-_");
  CHECK(c.text() == "word ");
  press(c, "alt-_");
  CHECK(c.text() == "word next");
}

TEST_CASE("whole graphemes are deleted") {
  Composer c;
  type(c, "a中👨‍👩‍👧");
  press(c, "backspace");
  CHECK(c.text() == "a中");
  press(c, "left");
  press(c, "delete");
  CHECK(c.text() == "a");
}

TEST_CASE("a large paste is a chip and sent whole") {
  Composer c;
  std::string big;
  for (int i = 0; i < 43; ++i) big += "line " + std::to_string(i) + "\n";
  type(c, "see ");
  c.paste(big);
  CHECK(c.layout(60, 5).rows[0].text == "see [Pasted 43 lines]");
  CHECK(c.text() == "see " + big);
  press(c, "backspace");
  CHECK(c.text() == "see ");
  press(c, "ctrl-_");
  CHECK(c.take() == "see " + big);
  CHECK(c.empty());
  press(c, "ctrl-_");
  CHECK(c.text() == "see " + big);
}

TEST_CASE("a paste brings no orders and no chips of its own") {
  Composer c;
  c.paste("a\x1b[31mb\x07\xF4\x80\x80\x80z");
  CHECK(c.text() == "abz");
}

TEST_CASE("a megabyte is pasted at once") {
  Composer c;
  c.paste(std::string(1 << 20, 'x'));
  CHECK(c.text().size() == 1u << 20);
  CHECK(c.layout(80, 10).rows.size() == 1);
}

TEST_CASE("wide letters wrap at the edge and the caret follows") {
  Composer c;
  type(c, "中文字中文字");
  const auto layout = c.layout(5, 10);
  REQUIRE(layout.rows.size() == 3);
  for (const Row& row : layout.rows) CHECK(width(row.text) <= 5);
  CHECK(layout.caret_y == 2);
  CHECK(layout.caret_x == 4);
}

TEST_CASE("words wrap whole and lines move by column") {
  Composer c;
  type(c, "alpha beta gamma");
  auto layout = c.layout(11, 10);
  CHECK(layout.rows[0].text == "alpha beta ");
  CHECK(layout.rows[1].text == "gamma");
  press(c, "up");
  layout = c.layout(11, 10);
  CHECK(layout.caret_y == 0);
  KeyPress up;
  up.key = Key::up;
  CHECK_FALSE(c.key(up));
}

TEST_CASE("vi moves in normal mode and leaves typing alone") {
  Composer c;
  c.set_vi(true);
  type(c, "hello world");
  press(c, "escape");
  for (const auto* key : {"0", "d", "w"}) press(c, key);
  CHECK(c.text() == "world");
  press(c, "i");
  type(c, "a ");
  CHECK(c.text() == "a world");
  press(c, "escape");
  for (const auto* key : {"0", "c", "w"}) press(c, key);
  type(c, "my");
  CHECK(c.text() == "my world");
  press(c, "escape");
  for (const auto* key : {"0", "w", "e", "x"}) press(c, key);
  CHECK(c.text() == "my worl");
}

TEST_CASE("vi takes Esc and the next key also when they come as one") {
  Composer c;
  c.set_vi(true);
  type(c, "hello world");
  for (const auto* key : {"alt-0", "d", "w", "i"}) press(c, key);
  type(c, "my ");
  CHECK(c.text() == "my world");
}

TEST_CASE("no sequence of keys breaks the text or the caret") {
  std::mt19937 random(3);
  static constexpr std::string_view keys[] = {
      "left",   "right",  "up",     "down",      "home",  "end",    "backspace", "delete",
      "ctrl-w", "ctrl-k", "ctrl-u", "ctrl-y",    "alt-y", "ctrl-_", "alt-_",     "alt-b",
      "alt-f",  "alt-d",  "ctrl-j", "ctrl-left", "a",     "中"};
  Composer c;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 50 == 0)
      c.paste(std::string(random() % 900, 'p'));
    else
      press(c, keys[random() % std::size(keys)]);
    const auto layout = c.layout(7, 4);
    REQUIRE(c.caret() <= c.raw().size());
    REQUIRE(layout.caret_y < static_cast<int>(layout.rows.size()));
    if (c.raw().size() > 5'000) c.set("");
  }
}

TEST_CASE("in vi's normal mode the caret stands on a letter") {
  Composer c;
  c.set_vi(true);
  type(c, "hello foo");
  press(c, "escape");
  for (const auto* key : {"$", "x", "x"}) press(c, key);
  CHECK(c.text() == "hello f");
  press(c, "p");
  CHECK(c.text() == "hello fo");
  for (const auto* key : {"0", "d", "w", "$", "p"}) press(c, key);
  CHECK(c.text() == "fohello ");
  for (const auto* key : {"$", "l", "l", "i"}) press(c, key);
  type(c, "X");
  CHECK(c.text() == "fohelloX ");
}

TEST_CASE("a paste that comes in pieces is one chip") {
  Composer c;
  const std::string piece = "one\ntwo\nthree\nfour\nfive\nsix\n";
  c.paste(piece);
  c.paste(piece, true);
  c.paste("end", true);
  CHECK(c.raw().size() == 4);
  CHECK(c.text() == piece + piece + "end");
  c.paste(piece);
  CHECK(c.raw().size() == 8);
  press(c, "backspace");
  c.insert("x");
  c.paste(piece, true);
  CHECK(c.raw().size() == 9);
}
