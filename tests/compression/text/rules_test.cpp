#include "compression/text/rules.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("a rule says must, never, only, do not, in two languages") {
  CHECK(states_rule("You must keep the API"));
  CHECK(states_rule("Don't touch main"));
  CHECK(states_rule("不要修改接口"));
  CHECK_FALSE(states_rule("It compiles and mustard is fine"));
}

TEST_CASE("rules are whole sentences in order") {
  const auto rules = rules_in(
      "Add a parser. Never use regex in it! Thanks.\nAlways run the tests first\n必须保持接口不变。好的");
  REQUIRE(rules.size() == 3);
  CHECK(rules[0] == "Never use regex in it!");
  CHECK(rules[1] == "Always run the tests first");
  CHECK(rules[2] == "必须保持接口不变。");
}

TEST_CASE("code fences and short scraps state no rules") {
  CHECK(rules_in("```\nnot a rule, only code in here\n```\nno, not it").empty());
}

TEST_CASE("a dot inside a name does not end a sentence") {
  const auto rules = rules_in("Only edit main.cpp and nothing else.");
  REQUIRE(rules.size() == 1);
  CHECK(rules[0] == "Only edit main.cpp and nothing else.");
}
