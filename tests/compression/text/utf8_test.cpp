#include "compression/text/utf8.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

TEST_CASE("characters and newlines are counted exactly, at any length") {
  std::string text;
  std::size_t characters = 0, lines = 0;
  for (int i = 0; i < 9'000; ++i) {
    if (i % 97 == 0) {
      CHECK(count_characters(text) == characters);
      CHECK(count_newlines(text) == lines);
    }
    text += i % 3 == 0 ? "\n" : i % 3 == 1 ? "\xE5\xAD\x97" : "\xF0\x9F\x98\x80";
    ++characters;
    lines += i % 3 == 0;
  }
  CHECK(count_newlines(std::string(5'000, '\n')) == 5'000);
  CHECK(count_characters(std::string(5'000, '\x80')) == 0);
  CHECK(count_newlines(std::string(5'000, '\x8A')) == 0);
}

TEST_CASE("a cut never splits a character, broken text is cut where asked") {
  const std::string text = "a\xE5\xAD\x97z";
  CHECK(utf8_floor(text, 1) == 1);
  CHECK(utf8_floor(text, 2) == 1);
  CHECK(utf8_floor(text, 3) == 1);
  CHECK(utf8_floor(text, 4) == 4);
  CHECK(utf8_floor(text, 99) == 5);
  CHECK(utf8_floor("\x80\x80\x80\x80\x80\x80", 5) == 5);
}
