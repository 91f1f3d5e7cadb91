#include "compression/reading/cluster.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;
using test::script;

TEST_CASE("overlap is one with itself and nothing with a stranger") {
  const auto world = script(
      "user Fix parseConfig in src/parser.cpp\nuser Draw coloured borders in ui/theme.md for themePanel");
  const auto a = signature_of(*world.items[0]), b = signature_of(*world.items[1]);
  CHECK(overlap(a, a) == 1);
  CHECK(overlap(a, b) == 0);
  CHECK(overlap(a, {}) == 0);
}

TEST_CASE("turns about the same things are one cluster") {
  const auto world = script(R"(
    system Be brief
    user Fix parseConfig in src/core/parser.cpp
    call 1 Read src/core/parser.cpp
    result 1 = int parseConfig();
    assistant parseConfig is fixed
    user Does parseConfig have tests?
    assistant Yes, in src/core/parser.cpp
    user yes
    user Write documentation about coloured borders in docs/look/theme.md
    assistant Wrote docs/look/theme.md
  )");
  const auto found = clusters(world);
  REQUIRE(found.size() == 2);
  CHECK(found[0].first == 1);
  CHECK(found[0].last == 7);
  CHECK(found[0].topic == "core/parser.cpp");
  CHECK(found[1].topic == "look/theme.md");
  CHECK(found[1].tokens == world.items[8]->tokens + world.items[9]->tokens);
}

TEST_CASE("Chinese requests are compared by their characters") {
  const auto world = script("user 修复解析器的错误\nuser 解析器的错误还在吗\nuser 画一个新的主题");
  const auto a = signature_of(*world.items[0]), b = signature_of(*world.items[1]),
             c = signature_of(*world.items[2]);
  CHECK(overlap(a, b) > overlap(a, c));
}

TEST_CASE("nothing has no clusters") { CHECK(clusters({}).empty()); }
