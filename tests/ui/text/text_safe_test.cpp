#include "ui/text/text_safe.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;

namespace {
bool obeys_nothing(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7F) return false;
  }
  return is_valid_utf8(text) && text.find("\xC2\x9B") == text.npos && text.find("\xC2\x9D") == text.npos;
}
}  // namespace

TEST_CASE("escape sequences leave whole, the words between stay") {
  CHECK(safe_text("a\x1b[31mred\x1b[0mb") == "aredb");
  CHECK(safe_text("\x1b]0;title\x07hi") == "hi");
  CHECK(safe_text("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(safe_text("\xC2\x9B"
                  "2Jx") == "x");
  CHECK(safe_text("\x1bPq#0\x1b\\y") == "y");
}

TEST_CASE("an escape hidden in broken UTF-8 is not believed") {
  CHECK(safe_text("\xC3\x1b[2Jx") == "\xEF\xBF\xBDx");
  CHECK(safe_text("\xE0\x1b]0;x\xC3\x07y") == "\xEF\xBF\xBDy");
  CHECK(safe_text("\xF1\x1b[Az") == "\xEF\xBF\xBDz");
  CHECK(safe_text("\xC0\x9B"
                  "1mx") ==
        "\xEF\xBF\xBD\xEF\xBF\xBD"
        "1mx");
}

TEST_CASE("an unfinished string sequence eats its line only") {
  CHECK(safe_text("a\x1b]0;never ended\nnext") == "a\nnext");
}

TEST_CASE("controls are shown and tabs expanded") {
  CHECK(safe_text("a\tb") == "a   b");
  CHECK(safe_text("中\tb") == "中  b");
  CHECK(safe_text("x\x07y\x7F") == "x^Gy^?");
  CHECK(safe_text("one\ntwo", Lines::one) == "one⏎two");
  CHECK(safe_text("a\r\nb\rc") == "a\nb␍c");
}

TEST_CASE("text that changes how others are read is shown") {
  CHECK(safe_text("a\u202Eb") == "a⟨U+202E⟩b");
  CHECK(safe_text("a\u200Bb") == "a⟨U+200B⟩b");
  CHECK(safe_text("👨‍👩‍👧") == "👨‍👩‍👧");
  CHECK(safe_text("a\u200Db") == "a⟨U+200D⟩b");
}

TEST_CASE("marks are capped, so no glyph grows over its neighbours") {
  std::string zalgo = "a";
  for (int i = 0; i < 1000; ++i) zalgo += "\u0301";
  CHECK(safe_text(zalgo).size() == 1 + 4 * 2);
}

TEST_CASE("marks of every script are capped, and chains of emoji") {
  static constexpr std::string_view marks[] = {"\u093F\u094D", "\u0670", "\u3099", "\u1161",
                                               "\u11A8",       "\u0F71", "\u06D6", "\U0001D165"};
  for (const std::string_view mark : marks) {
    std::string text = "\u0915";
    for (int i = 0; i < 2000; ++i) text += mark;
    CHECK(safe_text(text).size() <= 3 + 4 * 4);
  }
  CHECK(safe_text("\u0915\u094D\u0937\u093F\u0902") == "\u0915\u094D\u0937\u093F\u0902");
  std::string people = "👩";
  for (int i = 0; i < 50; ++i) people += "\u200D👩";
  CHECK(safe_text(people).starts_with("👩\u200D👩\u200D👩\u200D👩⟨U+200D⟩👩"));
  CHECK(safe_text(safe_text(people)) == safe_text(people));
  const std::string kiss = "👩🏻\u200D\u2764\uFE0F\u200D💋\u200D👨🏻";
  CHECK(safe_text(kiss + kiss) == kiss + kiss);
}

TEST_CASE("a command shows every letter that could pass for another") {
  CHECK(safe_command("ls \u0430") == "ls ⟨U+0430⟩");
  CHECK(safe_command("echo 中文") == "echo 中文");
  CHECK(safe_command("echo 修复：你好，世界（测试）！") == "echo 修复：你好，世界（测试）！");
  CHECK(safe_command("ls；rm") == "ls⟨U+FF1B⟩rm");
  CHECK(safe_command("echo 中ｒｍ") == "echo 中⟨U+FF52⟩⟨U+FF4D⟩");
  CHECK(safe_command("echo 中／") == "echo 中⟨U+FF0F⟩");
  CHECK(safe_command("rm\u00A0-rf") == "rm⟨U+00A0⟩-rf");
  CHECK(safe_command("a\rb\x1b[1A") == "a^Mb^[[1A");
  CHECK(safe_command("a\u20E3 b\u0670") == "a⟨U+20E3⟩ b⟨U+0670⟩");
  CHECK(safe_command("echo \u0939\u093F") == "echo \u0939\u093F");
  CHECK(safe_command("\u0939\u093F\u093F\u093F\u093F\u093F") == "\u0939\u093F\u093F\u093F\u093F⟨U+093F⟩");
}

TEST_CASE("random bytes never reach the terminal as orders, and cleaning twice changes nothing") {
  std::mt19937 random(7);
  static constexpr std::string_view seeds[] = {
      "\x1b[",        "\x1b]",   "\xC3", "\xE2\x80\xAE", "\xF0\x9F\x91\xA8",
      "\xE2\x80\x8D", "\t",      "\r",   "\u093F",       "\u1161",
      "\u0670",       "\u200D👩", "👩"};
  for (int round = 0; round < 3000; ++round) {
    std::string raw;
    for (int i = 0; i < 24; ++i) {
      if (random() % 3 == 0)
        raw += seeds[random() % std::size(seeds)];
      else
        raw += static_cast<char>(random() & 0xFF);
    }
    const std::string once = safe_text(raw);
    REQUIRE(obeys_nothing(once));
    REQUIRE(safe_text(once) == once);
    REQUIRE(obeys_nothing(safe_command(raw)));
  }
}
