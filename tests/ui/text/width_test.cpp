#include "ui/text/width.h"

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

TEST_CASE("the line of a frame is as wide as its pieces, and a mark joins its last") {
  const std::string line = "───";
  for (const int columns : {1, 2}) {
    set_ambiguous_width(columns);
    const int piece = width("│");
    CHECK(width(line) == 3 * piece);
    CHECK(width(line + " x") == 3 * piece + 2);
    CHECK(width(line + "\u0301") == 3 * piece);
    CHECK(next_cluster(line + "\u0301", 6).bytes == 5);
  }
  set_ambiguous_width(1);
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

TEST_CASE("a cluster is as wide as terminals that count code points draw it") {
  CHECK(width("\u0915\u093F") == 2);  // a spacing vowel sign
  CHECK(width("\u0915\u094D") == 1);  // virama
  CHECK(width("\u0E01\u0E33") == 2);  // sara am
  CHECK(width("a\uFE0F") == 1);       // no emoji: the selector says nothing
  CHECK(width("a\uFE0E") == 1);
  CHECK(width("\u2764\uFE0F") == 2);  // a heart becomes a picture
  CHECK(width("1\uFE0F\u20E3") == 2);
  CHECK(width("\u2605\uFE0F") == 1);  // a star has no such form
  CHECK(width("\u1112\u1161\u11AB") == 2);
  CHECK(next_cluster("\u1100\u1100\u1100", 0).bytes == 3);  // leading jamo stand side by side
  CHECK(next_cluster("a\U0001F3FB", 0).bytes == 1);         // a skin tone colours people only
  CHECK(next_cluster("👍🏽🏽", 0).bytes == 8);
  CHECK(next_cluster("👩🏻\u200D\u2764\uFE0F\u200D💋\u200D👨🏻", 0).bytes == 35);
}

TEST_CASE("no cluster is without end") {
  static constexpr std::string_view units[] = {"\u093F\u094D", "\u0301",     "\u1100",  "\u1161",
                                               "\u11A8",       "\U0001F3FB", "\u200D👩", "\u0670",
                                               "\u3099",       "\uFE0F",     "\u0600",  "🇩"};
  for (const std::string_view unit : units) {
    std::string text = "👩";
    for (int i = 0; i < 2000; ++i) text += unit;
    for (std::size_t at = 0; at < text.size();) {
      const Cluster cluster = next_cluster(text, at);
      REQUIRE(cluster.bytes <= 40);
      REQUIRE(cluster.columns <= 2);
      at += cluster.bytes;
    }
  }
}

TEST_CASE("a terminal that knows no clusters uses at most this many columns") {
  CHECK(most_columns("a") == 1);
  CHECK(most_columns("中") == 2);
  CHECK(most_columns("e\u0301") == 1);
  CHECK(most_columns("👨\u200D👩\u200D👧") == 6);
}
