#include "ui/terminal/paste_guard.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

// As the loop reads: at most 4,096 bytes at a time, from a terminal that hands them over in pieces of its
// own.
std::vector<Input> read(std::string_view bytes, std::size_t most = 4'096) {
  InputParser parser;
  PasteGuard guard;
  std::vector<Input> all;
  std::int64_t now_ms = 10'000;
  for (std::size_t at = 0; at < bytes.size(); at += most, now_ms += 5) {
    const std::string_view piece = bytes.substr(at, most);
    for (Input& input : guard.sort(parser.feed(piece), piece, now_ms)) all.push_back(std::move(input));
  }
  return all;
}

}  // namespace

TEST_CASE("a megabyte of paste with end marks inside sends nothing") {
  std::string text;
  while (text.size() < (1u << 20)) text += "line of a log\r\nrm -rf ~\x1b[201~\r\x03\x1b\x1b[A/exit\r";
  const auto inputs = read("\x1b[200~" + text + "\x1b[201~");
  std::size_t pasted = 0, keys = 0;
  for (const Input& input : inputs) {
    if (const auto* paste = std::get_if<Paste>(&input)) pasted += paste->text.size();
    keys += std::holds_alternative<KeyPress>(input);
  }
  CHECK(keys == 0);
  CHECK(pasted > (1u << 19));
}

TEST_CASE("end marks inside a paste send nothing, in pieces of any size") {
  std::string text;
  while (text.size() < 60'000) text += "line of a log\r\nrm -rf ~\x1b[201~\r\x03\x1b\x1b[A/exit\r";
  for (const std::size_t most : {7, 64, 500, 1'000, 1'022, 3'999}) {
    INFO("pieces of " << most);
    std::size_t keys = 0;
    for (const Input& input : read("\x1b[200~" + text + "\x1b[201~", most))
      keys += std::holds_alternative<KeyPress>(input);
    CHECK(keys == 0);
  }
}

TEST_CASE("after such a paste a hand is heard, at once when its last mark has come") {
  const auto heard = [](std::string_view end, std::int64_t after_ms) {
    InputParser parser;
    PasteGuard guard;
    const std::string bytes = "\x1b[200~two\x1b[201~\rlines" + std::string(end);
    guard.sort(parser.feed(bytes), bytes, 10'000);
    const auto inputs = guard.sort(parser.feed("\r"), "\r", 10'000 + after_ms);
    return inputs.size() == 1 && std::holds_alternative<KeyPress>(inputs[0]);
  };
  CHECK(heard("\x1b[201~", 10));
  CHECK_FALSE(heard("", 100));
  CHECK(heard("", 600));
}

TEST_CASE("soon after such a paste a key that writes nothing is heard, and one that writes is not yet") {
  const auto heard = [](std::string_view key) {
    InputParser parser;
    PasteGuard guard;
    const std::string bytes = "cd /tmp\rrm -rf build\r";
    guard.sort(parser.feed(bytes), bytes, 10'000);
    const auto inputs = guard.sort(parser.feed(key), key, 10'200);
    return inputs.size() == 1 && std::holds_alternative<KeyPress>(inputs[0]);
  };
  for (const auto* key : {"\x03", "\x1b[Z", "\x1b[A", "\x04"}) CHECK(heard(key));
  for (const auto* key : {"\r", "a", "\t"}) CHECK_FALSE(heard(key));
}

TEST_CASE("a key after the paste is a key again") {
  InputParser parser;
  PasteGuard guard;
  CHECK(guard.sort(parser.feed("\x1b[200~two\rlines\x1b[201~"), "\x1b[200~two\rlines\x1b[201~").size() == 1);
  const auto inputs = guard.sort(parser.feed("\r"), "\r");
  REQUIRE(inputs.size() == 1);
  CHECK(std::get<KeyPress>(inputs[0]).key == Key::enter);
}

namespace {

struct Stalled {
  InputParser parser;
  PasteGuard guard;
  std::int64_t now_ms = 10'000;
  Stalled() {
    guard.sort(parser.feed("\x1b[200~first\r"), "\x1b[200~first\r", now_ms);
    guard.stalled();
    parser.timeout();
    now_ms += 1'500;
  }
  std::vector<Input> read(std::string_view bytes, std::int64_t after_ms = 200) {
    now_ms += after_ms;
    return guard.sort(parser.feed(bytes), bytes, now_ms);
  }
  bool text_only(std::string_view bytes, std::int64_t after_ms = 200) {
    for (const Input& input : read(bytes, after_ms))
      if (std::holds_alternative<KeyPress>(input)) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("what comes after a paste that stalled is text until its end mark") {
  Stalled world;
  CHECK(world.text_only("rm -rf ~\rmore\r"));
  CHECK(world.text_only("\r"));
  CHECK(world.text_only("tail\r\x1b[20"));
  CHECK(world.text_only("1~"));
  CHECK_FALSE(world.text_only("\r"));
}

TEST_CASE("bytes of a stalled paste one by one are not typing") {
  Stalled world;
  for (int i = 0; i < 50; ++i) CHECK(world.text_only("\r", 2));
}

TEST_CASE("after a stalled paste without an end whoever types is heard again") {
  Stalled world;
  for (const auto* key : {"a", "b", "\r"}) CHECK(world.text_only(key));
  CHECK_FALSE(world.text_only("\r"));
  Stalled other;
  CHECK_FALSE(other.text_only("\x03"));
}

TEST_CASE("lines pasted by a terminal without paste marks are text, and what a hand types is not") {
  const auto keys = [](std::string_view bytes, std::size_t most = 4'096) {
    std::size_t n = 0;
    for (const Input& input : read(bytes, most)) n += std::holds_alternative<KeyPress>(input);
    return n;
  };
  CHECK(keys("cd /tmp\rrm -rf build\r") == 0);
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "line " + std::to_string(i) + " 中文\r";
  CHECK(keys(text) == 0);
  CHECK(keys(text, 700) == 0);
  CHECK(keys("a prompt typed ahead\r") == 21);
  CHECK(keys("yes\rno\r") == 7);
  CHECK(keys("one line\r\x1b[Aanother\r") == 18);
}
