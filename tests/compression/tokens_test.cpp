#include "compression/tokens.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

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
  CHECK(seed_estimate("\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xB8\x96\xE7\x95\x8C\xEF\xBC\x81") == 2);  // characters, not bytes
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
