#include "ui/width.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("width agrees with what terminals draw") {
  CHECK(width("hello") == 5);
  CHECK(width("中文字") == 6);
  CHECK(width("e\u0301") == 1);
  CHECK(width("👨‍👩‍👧") == 2);
  CHECK(width("👍🏽") == 2);
  CHECK(width("🇩🇪") == 2);
  CHECK(width("🫠") == 2);
  CHECK(width("한글") == 4);
  CHECK(width("█▓▒░│╭") == 6);
  CHECK(width("") == 0);
}

TEST_CASE("nothing is cut inside a cluster") {
  CHECK(fit("中文字", 3) == 3);
  CHECK(fit("a👨‍👩‍👧b", 2) == 1);
  CHECK(shorten("中文字", 5) == "中文…");
  CHECK(shorten("abc", 3) == "abc");
  CHECK(width(shorten_middle("src/very/long/path/tokenizer.cpp", 20)) <= 20);
  CHECK(shorten_middle("src/very/long/path/tokenizer.cpp", 20).ends_with("tokenizer.cpp"));
}

TEST_CASE("stepping back lands where stepping forward passed") {
  const std::string text = "a中👨‍👩‍👧e\u0301z";
  std::vector<std::size_t> borders;
  for (std::size_t at = 0; at < text.size(); at += next_cluster(text, at).bytes) borders.push_back(at);
  std::size_t at = text.size();
  while (!borders.empty()) {
    at = previous_boundary(text, at);
    CHECK(at == borders.back());
    borders.pop_back();
  }
}

TEST_CASE("ambiguous letters follow the setting") {
  set_ambiguous_width(2);
  CHECK(width("─α") == 4);
  set_ambiguous_width(1);
  CHECK(width("─α") == 2);
}
