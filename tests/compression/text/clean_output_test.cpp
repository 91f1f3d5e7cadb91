#include "compression/text/clean_output.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;

namespace {

std::string clean(std::string_view text, OutputKind kind = OutputKind::log) {
  const auto result = clean_output(text, kind);
  return result.changed ? result.text : std::string(text);
}
std::string times(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}
bool is_valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 9;
    if (more == 9 || text.size() - i <= more) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    i += more + 1;
  }
  return true;
}

}  // namespace

TEST_CASE("escape sequences leave, the words stay") {
  CHECK(without_terminal_codes("\x1b[1;31merror\x1b[0m: x\n") == "error: x\n");
  CHECK(without_terminal_codes("\x1b]0;title\x07text") == "text");
  CHECK(without_terminal_codes("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(without_terminal_codes("a\x1b(Bb\x1b=c") == "abc");
  CHECK(without_terminal_codes("cut off \x1b[12") == "cut off ");
  CHECK(without_terminal_codes("\x1b\x1b[0m[0m") == "[0m");
}

TEST_CASE("a progress line shows its last state") {
  CHECK(without_terminal_codes("10%\r50%\r100%\ndone\r\n") == "100%\ndone\n");
  CHECK(without_terminal_codes("|\b/\b-\bok") == "ok");
  CHECK(without_terminal_codes("\b\bx\n\by") == "x\ny");
}

TEST_CASE("plain text has no terminal codes and is not copied") {
  CHECK_FALSE(has_terminal_codes("plain\ntext\n"));
  CHECK_FALSE(clean_output("a\nb\nc\n", OutputKind::log).changed);
}

TEST_CASE("equal lines become one with a count") {
  CHECK(clean(times(42, "the same line of output, again\n") + "end\n") ==
        "the same line of output, again\n[… the line above 41 times more]\nend\n");
  CHECK(clean("a\na\na\n") == "a\na\na\n");  // the marker would be longer
}

TEST_CASE("lines that differ in digits or bars keep the first and the last") {
  std::string text = "start\n";
  for (int i = 1; i <= 40; ++i)
    text += "[" + std::string(i, '#') + "] compiling file " + std::to_string(i) + " of 40\n";
  const auto cleaned = clean(text + "end\n");
  CHECK(cleaned == "start\n[#] compiling file 1 of 40\n[… 38 lines like these]\n[" + std::string(40, '#') +
                       "] compiling file 40 of 40\nend\n");
}

TEST_CASE("lines of figures are data and stay") {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::to_string(i * 37) + "," + std::to_string(i * i) + ",x\n";
  CHECK(clean(text) == text);
}

TEST_CASE("source keeps its repeats, but not a minified line") {
  const auto repeats = times(40, "  }\n") + times(40, "  case 17: return 17;\n");
  CHECK(clean(repeats, OutputKind::source).size() < repeats.size());  // equal lines still count
  std::string cases;
  for (int i = 0; i < 40; ++i)
    cases += "  case " + std::to_string(i) + ": return name_" + std::to_string(i) + ";\n";
  CHECK(clean(cases, OutputKind::source) == cases);
  CHECK(clean(std::string(5'000, 'x'), OutputKind::source) ==
        std::string(300, 'x') + "[… 4,600 characters]" + std::string(100, 'x'));
}

TEST_CASE("a base64 run keeps its ends, a long line of words stays") {
  const auto run = "data: " + times(1'000, "QUJD") + "\n";
  CHECK(clean(run).size() < 460);
  const auto words = times(200, "some words ") + "\n";
  CHECK(clean(words) == words);
}

TEST_CASE("line numbers of the original stay known") {
  std::string text = "first\n" + times(10, "a line that comes again and again\n") + "second\n" +
                     times(20, "another line that repeats, too\n") + "third\n";
  const auto result = clean_output(text, OutputKind::log);
  // first, line, marker, second, line, marker, third
  CHECK(result.original_line(0) == 0);
  CHECK(result.original_line(3) == 11);
  CHECK(result.original_line(6) == 32);
}

TEST_CASE("codes beside characters of several bytes never take a part of one") {
  CHECK(without_terminal_codes("é\bé") == "é");
  CHECK(without_terminal_codes("你好\b们") == "你们");
  CHECK(without_terminal_codes("\x1b你") == "你");
  CHECK(without_terminal_codes("\x1b(你") == "你");
  CHECK(without_terminal_codes("\x1b[1你m") == "你m");
  CHECK(without_terminal_codes(std::string_view("\x1b\0stays", 7)) == "stays");
}

TEST_CASE("what was valid UTF-8 stays valid, whatever codes are mixed in") {
  const std::string_view parts[] = {
      "a",    "é", "你",         "😀",       "\b", "\r", "\n",     "\x1b", "\x1b[",    "\x1b[1;3",
      "m",    "(", "\x1b(",      "\x1b]0;", "\a", "\\", "\x1b\\", "]",    "1",        " ",
      "\x7f", "P", "\x1b[31m你", "100%",    "ÿ",  "\t", "[",      "é\b",  "\xC2\x9B", "_"};
  std::mt19937 random(7);
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += parts[random() % std::size(parts)];
    REQUIRE(is_valid_utf8(text));
    INFO(text);
    REQUIRE(is_valid_utf8(without_terminal_codes(text)));
    REQUIRE(is_valid_utf8(clean(times(200, text))));
  }
}
