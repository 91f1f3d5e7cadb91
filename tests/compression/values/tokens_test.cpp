#include "compression/values/tokens.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;
using Catch::Approx;

namespace {
Item with(Block block) {
  Item item;
  item.blocks = {std::move(block)};
  return item;
}
}  // namespace

TEST_CASE("the estimate counts pieces of text") {
  CHECK(estimate("") == 0);
  CHECK(estimate("hello") == 1);
  CHECK(estimate("The quick brown fox jumps over the lazy dog.") == 10);
  CHECK(estimate("getUserName") > estimate("username"));
  CHECK(estimate("123456789") == 5);  // three groups of three digits
  CHECK(estimate(std::string(1000, ' ')) == 2);
}

TEST_CASE("the estimate is near what tokenizers say for code, logs and Chinese") {
  CHECK(estimate("for (int i = 0; i < n; ++i) sum += values[i];\n") == Approx(19).margin(4));
  CHECK(estimate("2024-05-01T12:33:07.123Z ERROR worker[4211] connection reset\n") == Approx(30).margin(6));
  CHECK(estimate("\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xB8\x96\xE7\x95\x8C") == Approx(3).margin(1));
}

TEST_CASE("the estimate survives broken UTF-8") {
  CHECK(estimate("\xFF\xFE\x80\x80") > 0);
  CHECK(estimate("\xE4") == 1);
}

TEST_CASE("an item costs its blocks and its frame, and is counted when it is made") {
  const auto item = make_item(with(Text{"hello"}));
  CHECK(item->tokens == 3 + 4 + 1);
  CHECK(count(Conversation{{item, item}}) == 16);
}

TEST_CASE("an image costs by its pixels when they can be read") {
  std::string png = "\x89PNG\r\n\x1A\n";
  png += std::string("\0\0\0\x0DIHDR\0\0\x03\x20\0\0\x02\x58", 16);  // 800 x 600
  CHECK(estimate(Block{Image{"image/png", png}}) == 640);
  CHECK(estimate(Block{Image{"image/png", "?"}}) == 765);
}

TEST_CASE("the founding formula, exactly") {
  CHECK(seed_estimate("abcd") == 1);
  CHECK(seed_estimate("abcde") == 2);
  CHECK(seed_estimate("```\ncode\n```") == 3 + 50 - 0);
  CHECK(seed_estimate("see https://example.com/a now") == 8 - 10);
  CHECK(seed_estimate(std::string(40, 'x')) == 10);
  // 20 words, 1 of them distinct: base 15, minus floor(15 x 0.95 x 0.1)
  std::string words;
  for (int i = 0; i < 20; ++i) words += "ab ";
  CHECK(seed_estimate(words) == 14);
  CHECK(seed_estimate("\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xB8\x96\xE7\x95\x8C\xEF\xBC\x81") ==
        2);  // characters, not bytes
}

TEST_CASE("the founding formula of messages and blocks") {
  CHECK(seed_estimate(with(Text{"abcd"})) == 3 + 4 + 1);
  CHECK(seed_estimate(with(Thinking{"abcdefgh", {}, false})) == 7 + 2);
  CHECK(seed_estimate(with(ToolCall{"c1", "Read", "{\"path\":1}", {}})) == 7 + 10 + 3);
  ToolResult result;
  result.text = "abcdefgh";
  CHECK(seed_estimate(with(result)) == 7 + 5 + 2);
  CHECK(seed_estimate(with(Image{"image/png", "x"})) == 7 + 765);
  CHECK(seed_estimate(with(Document{"application/pdf", std::string(50'001, 'x')})) == 7 + 2000);
  CHECK(seed_estimate(with(Summary{"x", {}})) == 7 + 10);
}

TEST_CASE("calibration follows what the API reports, within bounds") {
  Calibration calibration;
  CHECK_FALSE(calibration.learned());
  CHECK(calibration(1000) == 1000);
  calibration.learn(1000, 1500);
  CHECK(calibration(1000) == 1500);
  for (int i = 0; i < 20; ++i) calibration.learn(1000, 1200);
  CHECK(static_cast<double>(calibration(1000)) == Approx(1200).margin(2));
  calibration.learn(0, 50);
  calibration.learn(50, 0);
  CHECK(static_cast<double>(calibration(1000)) == Approx(1200).margin(2));
  for (int i = 0; i < 40; ++i) calibration.learn(10, 1000);
  CHECK(calibration.factor() == 2.0);
}

namespace {

// The estimate said plainly, byte by byte: what the blocks of 64 must come to.
Tokens estimate_by_bytes(std::string_view text) {
  const auto kind = [&](std::size_t i) {
    const char c = text[i];
    if (c >= 'a' && c <= 'z') return 'a';
    if (c >= 'A' && c <= 'Z') return 'A';
    if (c >= '0' && c <= '9') return '0';
    if (c == ' ' || (c >= '\t' && c <= '\r')) return ' ';
    return static_cast<unsigned char>(c) < 0x80 ? '.' : 'h';
  };
  const auto run = [&](std::size_t i, char k) {
    while (i < text.size() && kind(i) == k) ++i;
    return i;
  };
  std::int64_t sum = 0;
  bool glue = false;
  for (std::size_t i = 0, start = 0; (start = i) < text.size();) {
    const char k = kind(i);
    i = k == 'h' ? i + 1 : run(k == 'A' ? run(i, 'A') : i, k == 'A' ? 'a' : k);
    const auto size = static_cast<std::int64_t>(i - start);
    if (k == 'a' || k == 'A') sum += 97 + 5 * std::max<std::int64_t>(0, size - 6) + (glue ? 41 : 0);
    if (k == '0') sum += (size + 2) / 3 * 135 + (glue ? 41 : 0);
    if (k == '.') sum += 76 + 24 * (size - 1);
    if (k == ' ' && (size > 1 || text[start] != ' ')) sum += 138;
    if (k == ' ' && size == 1 && text[start] == ' ' && i < text.size() && kind(i) == '0') sum += 22;
    if (k == 'h') {
      const auto lead = static_cast<unsigned char>(text[start]);
      const auto next = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
      sum += (lead > 0xE2 && lead < 0xEE) || lead == 0xEF || (lead == 0xE2 && next >= 0xBA) ? 79 : 95;
      while (i < text.size() && (text[i] & 0xC0) == 0x80) ++i;
    }
    glue = k == 'a' || k == 'A' || k == '0';
  }
  return (sum + 99) / 100;
}

}  // namespace

TEST_CASE("the estimate is the same however the pieces fall on its blocks") {
  std::minstd_rand random(3);
  static const char* const pieces[] = {"word",
                                       "Word",
                                       "HTTPServer",
                                       "x",
                                       " ",
                                       "  ",
                                       "\n",
                                       "\t ",
                                       "1",
                                       "12345",
                                       "...",
                                       "_",
                                       "\x7f",
                                       "文字",
                                       "é",
                                       "\xE2\x80\xA6",
                                       "\xFF",
                                       "\x80\x80",
                                       "averyveryverylongwordindeed"};
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto n = random() % 90; n > 0; --n) text += pieces[random() % std::size(pieces)];
    INFO(text);
    REQUIRE(estimate(text) == estimate_by_bytes(text));
  }
  for (std::size_t size = 0; size < 300; ++size) {
    for (const char* unit : {"a", "7", " ", ".", "aB", "a1", "1 ", "\n"}) {
      std::string text;
      while (text.size() < size) text += unit;
      INFO(text);
      REQUIRE(estimate(text) == estimate_by_bytes(text));
    }
  }
}
