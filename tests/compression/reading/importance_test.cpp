#include "compression/reading/importance.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "compression/reading/survey.h"
#include "tests/support/script.h"

using namespace tern;
using Catch::Approx;
using test::script;

namespace {

const Item& only(const Conversation& c, std::size_t i = 0) { return *c.items[i]; }
ToolCall call(std::string name, std::string arguments) {
  return {"c1", std::move(name), std::move(arguments), {}};
}

}  // namespace

TEST_CASE("points add up with their reasons") {
  const auto world = script("user Look\ncall 1 Bash make\nerror 1 = error: no rule\nassistant Fine");
  const auto later = only(world).when + std::chrono::hours(2);
  CHECK(importance_points(only(world), later, false).score == 30);
  CHECK(importance_points(only(world, 1), later, false).score == 20);
  CHECK(importance_points(only(world, 2), later, true).score == 90);
  const auto fresh = importance_points(only(world), only(world).when + std::chrono::minutes(10), true);
  CHECK(fresh.score == 30 + 20 + 40);
  CHECK(fresh.reasons == std::vector<std::string>{"user +30", "recent +20", "named again later +40"});
}

TEST_CASE("recency never counts below zero nor above thirty") {
  const auto world = script("assistant Fine");
  CHECK(importance_points(only(world), only(world).when - std::chrono::hours(1), false).score == 30);
  CHECK(importance_points(only(world), only(world).when + std::chrono::hours(9), false).score == 0);
}

TEST_CASE("the other scale runs from 0 to 1") {
  CHECK(importance(only(script("user Look at the parser for me"))).score == Approx(0.5));
  CHECK(importance(only(script("user This is important: never push"))).score == Approx(0.7));
  CHECK(importance(only(script("user ok"))).score == Approx(0.4));
  const auto world = script("call 1 Read a.cpp\nresult 1 300 lines");
  CHECK(importance(only(world, 0)).score >= 0.3);
  CHECK(importance(only(world, 1)).score == Approx(0.2));
  CHECK(importance(only(world, 1)).reasons ==
        std::vector<std::string>{"base +0.3", "tool result -0.2", "rich +0.1"});
}

TEST_CASE("an item is referenced when the assistant later writes a name it brought") {
  const auto world = script(
      "call 1 Read a\nresult 1 = void parseConfig()\ncall 2 Read b\nresult 2 = void loadFile()\nassistant I "
      "will call "
      "parseConfig");
  const auto referenced = referenced_later(survey(world), world.items.size());
  CHECK(referenced[1]);
  CHECK_FALSE(referenced[3]);
  CHECK_FALSE(referenced[4]);
}

TEST_CASE("critical calls change files or the system, or failed") {
  CHECK(critical(call("Edit", "{}"), nullptr) == Critical::file_change);
  CHECK(critical(call("Bash", R"({"command":"cd x && npm install left-pad"})"), nullptr) ==
        Critical::system_change);
  CHECK(critical(call("Bash", R"({"command":"ls"})"), nullptr) == std::nullopt);
  CHECK(critical(call("Read", "{}"), nullptr) == std::nullopt);
  ToolResult failed;
  failed.is_error = true;
  CHECK(critical(call("Read", "{}"), &failed) == Critical::failure);
}

TEST_CASE("the ratio adapts to code, talk and errors") {
  CHECK(adaptive_ratio({.code = 0.6}, 0.5) == Approx(0.7));
  CHECK(adaptive_ratio({.code = 0.6}, 0.3) == Approx(0.5));
  CHECK(adaptive_ratio({.chat = 0.8}, 0.5) == Approx(0.3));
  CHECK(adaptive_ratio({.chat = 0.8}, 0.4) == Approx(0.3));
  CHECK(adaptive_ratio({.code = 0.6, .errors = 0.2}, 0.5) == Approx(0.6));
  CHECK(adaptive_ratio({}, 0.5) == Approx(0.5));
}

TEST_CASE("a conversation is weighed by its text") {
  const auto mix = mix_of(script("user Hello\ncall 1 Bash make\nerror 1 = bad"));
  CHECK(mix.errors == 1);
  CHECK(mix.code + mix.chat == Approx(1));
  CHECK(mix_of({}).errors == 0);
}
