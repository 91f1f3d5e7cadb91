#include "ui/terminal/input_parser.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;

namespace {
std::string told(const std::vector<Input>& inputs) {
  std::string out;
  for (const Input& input : inputs) {
    if (!out.empty()) out += ' ';
    if (const auto* press = std::get_if<KeyPress>(&input)) out += key_name(*press);
    if (const auto* paste = std::get_if<Paste>(&input)) out += "paste(" + paste->text + ")";
    if (const auto* mouse = std::get_if<Mouse>(&input))
      out += "mouse" + std::to_string(static_cast<int>(mouse->what)) + "@" + std::to_string(mouse->x) + "," +
             std::to_string(mouse->y);
    if (std::get_if<Reply>(&input)) out += "reply";
  }
  return out;
}
std::string read(std::string_view bytes) {
  InputParser parser;
  auto inputs = parser.feed(bytes);
  for (auto& late : parser.timeout()) inputs.push_back(late);
  return told(inputs);
}
}  // namespace

TEST_CASE("keys as terminals send them") {
  CHECK(read("a中\r") == "a 中 enter");
  CHECK(read("\n") == "ctrl-j");
  CHECK(read("\x1b\r") == "alt-enter");
  CHECK(read("\x1b[13;2u") == "shift-enter");
  CHECK(read("\x1b[27;2;13~") == "shift-enter");
  CHECK(read("\x1b[99;5u") == "ctrl-c");
  CHECK(read("\x03\x04\x0f") == "ctrl-c ctrl-d ctrl-o");
  CHECK(read("\x1b[A\x1bOB\x1b[1;5C\x1b[Z") == "up down ctrl-right shift-tab");
  CHECK(read("\x1b[5~\x1b[6~\x1b[3~\x1b[H\x1b[F") == "pageup pagedown delete home end");
  CHECK(read("\x1b"
             "b\x1b\x7f") == "alt-b alt-backspace");
  CHECK(read("\x1b") == "escape");
  CHECK(read("\x1b\x1b") == "escape escape");
  CHECK(read("\x1b[97;2u") == "A");
  CHECK(read("\x7f\t") == "backspace tab");
}

TEST_CASE("kitty's keys: keypad, other alphabets, what belongs to the window manager") {
  CHECK(read("\x1b[57417u\x1b[57418u\x1b[57419u\x1b[57420u") == "left right up down");
  CHECK(read("\x1b[57421u\x1b[57422u\x1b[57423u\x1b[57424u\x1b[57425u\x1b[57426u") ==
        "pageup pagedown home end insert delete");
  CHECK(read("\x1b[57399u\x1b[57408u\x1b[57413u\x1b[57414u\x1b[57416u") == "0 9 + enter ,");
  CHECK(read("\x1b[57419;5u") == "ctrl-up");
  CHECK(read("\x1b[57358u\x1b[57441u\x1b[57427u") == "");  // caps lock, a shift, the middle of the keypad
  CHECK(read("\x1b[99;9u\x1b[99;13u") == "");              // super
  CHECK(read("\x1b[1089::99;5u") == "ctrl-c");
  CHECK(read("\x1b[1089:1057:99;6u") == "ctrl-shift-c");
  CHECK(read("\x1b[1080::98;3u") == "alt-b");
  CHECK(read("\x1b[99:67;6u") == "ctrl-shift-c");
  CHECK(read("\x1b[27;6;67~") == "ctrl-shift-c");
  CHECK(read("\x1b[45:95;6u") == "ctrl-_");
  CHECK(read("\x1b[228:196;2u") == "Ä");
  InputParser parser;
  const auto inputs = parser.feed("\x1b[99:67;6u");
  REQUIRE(inputs.size() == 1);
  CHECK(std::get<KeyPress>(inputs[0]).text != "c");  // or it would interrupt
  KeyPress named;
  REQUIRE(parse_key_name("ctrl-shift-c", named));
  CHECK(named == std::get<KeyPress>(inputs[0]));
}

TEST_CASE("a paste is one event and submits nothing") {
  CHECK(read("\x1b[200~one\rtwo\r\nthree\x1b[201~x") == "paste(one\ntwo\nthree) x");
  CHECK(read("\x1b[200~never ended") == "paste(never ended)");
  CHECK(read("\x1b[200~a\x1b[201") == "paste(a\x1b[201)");
}

TEST_CASE("mouse, replies and focus do not become keys") {
  CHECK(read("\x1b[<64;10;5M\x1b[<65;1;1M") == "mouse0@9,4 mouse1@0,0");
  CHECK(read("\x1b[<0;3;4M\x1b[<32;4;4M\x1b[<0;4;4m") == "mouse2@2,3 mouse3@3,3 mouse4@3,3");
  CHECK(read("\x1b]11;rgb:0000/0000/0000\x1b\\k") == "reply k");
  CHECK(read("\x1b]11;rgb:0000/0000/0000\ak") == "reply k");
  CHECK(read("\x1b[?62;22ck") == "reply k");
  CHECK(read("\x1b[I\x1b[Ok") == "reply reply k");
}

TEST_CASE("one byte at a time gives the same as all at once") {
  const std::string bytes = "a\x1b[1;5C中\x1b[200~x\r\ny\x1b[201~\x1b[<64;10;5M\x1b]11;rgb:1/2/3\a\x1b[13;2u";
  InputParser parser;
  std::vector<Input> inputs;
  for (const char c : bytes)
    for (auto& input : parser.feed(std::string_view(&c, 1))) inputs.push_back(input);
  CHECK(told(inputs) == read(bytes));
  CHECK_FALSE(parser.pending());
}

TEST_CASE("whatever came before, keys work again after a silence") {
  std::mt19937 random(11);
  static constexpr std::string_view seeds[] = {"\x1b[",  "\x1b]",           "\x1bP", "\x1b[200~",
                                               "\x1b[<", ";;;;99999999999", "\xE4"};
  for (int round = 0; round < 2000; ++round) {
    InputParser parser;
    std::string bytes;
    for (int i = 0; i < 20; ++i)
      if (random() % 2)
        bytes += seeds[random() % std::size(seeds)];
      else
        bytes += static_cast<char>(random() & 0xFF);
    parser.feed(bytes);
    parser.timeout();
    REQUIRE(told(parser.feed("q")) == "q");
  }
}

TEST_CASE("key names read back") {
  for (const auto* name : {"ctrl-o", "shift-tab", "alt-enter", "f1", "g", "ctrl-space", "pageup"}) {
    KeyPress press;
    REQUIRE(parse_key_name(name, press));
    CHECK(key_name(press) == name);
  }
  KeyPress press;
  CHECK_FALSE(parse_key_name("nonsense", press));
}
