#include "compression/reading/boundary.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

std::string turns(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) {
    const auto n = std::to_string(i);
    out += "user Go on with step " + n + "\ncall " + n + " Read src/part" + n + ".cpp\nresult " + n +
           " 5 lines\nassistant Done with " + n + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("each term of the boundary speaks for itself") {
  const auto world = script(R"(
    user Fix src/parser.cpp
    call 1 Read src/parser.cpp
    result 1 = int parse_all();
    assistant It is fine
    user And the tests of src/parser.cpp
    call 2 Bash make
    error 2 = error: bad
    assistant c2 failed
  )");
  CHECK(after_tool_result(world, 3));
  CHECK_FALSE(after_tool_result(world, 4));
  CHECK(after_assistant(world, 4));
  CHECK_FALSE(after_assistant(world, 1));
  CHECK(parts_a_pair(world, 2));
  CHECK(in_tool_sequence(world, 2));
  CHECK_FALSE(in_tool_sequence(world, 4));
  CHECK(near_errors(world, 6));
  CHECK_FALSE(near_errors(world, 2));
}

TEST_CASE("a call that names the result before it belongs to its sequence") {
  const auto linked = script(
      "user x\ncall 1 Bash a\nresult 1 = ok\nassistant As c1 shows, more\ncall 2 Bash b\nresult 2 = ok");
  CHECK(in_tool_sequence(linked, 3));
  const auto free =
      script("user x\ncall 1 Bash a\nresult 1 = ok\nassistant Now something\ncall 2 Bash b\nresult 2 = ok");
  CHECK_FALSE(in_tool_sequence(free, 3));
}

TEST_CASE("talk breaks at two user messages, after five minutes, and at a phrase") {
  CHECK(conversation_break(script("user a\nuser b"), 1));
  CHECK(conversation_break(script("assistant a\nat +6m\nuser b"), 1));
  CHECK_FALSE(conversation_break(script("assistant a\nat +4m\nuser b"), 1));
  CHECK(conversation_break(script("assistant a\nuser OK, moving on to the next thing"), 1));
  CHECK_FALSE(conversation_break(script("assistant a\nuser b"), 1));
  CHECK_FALSE(conversation_break(script("user a"), 0));
}

TEST_CASE("break phrases come in English and Chinese") {
  for (const char* phrase : {"新问题：", "不同话题", "换个话题吧", "继续", "让我们切换到测试",
                             "New question: x", "a different topic", "Moving on"}) {
    CHECK(has_break_phrase(phrase));
  }
  CHECK_FALSE(has_break_phrase("fix the parser"));
}

TEST_CASE("only the person changes the topic, and only with words for it") {
  const auto past = std::string(
      "user Fix the parser in src/parser.cpp\ncall 1 Read src/parser.cpp\nresult 1 = int "
      "parse_all();\nassistant The parser is "
      "fixed\n");
  CHECK(topic_change(script(past + "user Write documentation about colours in docs/theme.md"), 4));
  CHECK_FALSE(topic_change(script(past + "user Now test the parser of src/parser.cpp"), 4));
  CHECK_FALSE(topic_change(script(past + "user ok"), 4));
  CHECK_FALSE(topic_change(script(past), 3));
}

TEST_CASE("the score is 100 and its terms") {
  const auto world = script("user x\ncall 1 Bash a\nresult 1 = ok\nassistant done\nuser y");
  CHECK(boundary_score(world, 3) == 150);
  CHECK(boundary_score(world, 4) == 130);
  CHECK(boundary_score(world, 2) == 100 + 30 - 100);
}

TEST_CASE("the best place near the target wins and never parts a pair") {
  const auto world = script(turns(1, 15));
  const auto found = find_boundary(world);
  REQUIRE(found);
  CHECK(found->index >= 25);
  CHECK(found->index <= 35);
  CHECK_FALSE(parts_a_pair(world, found->index));
  CHECK(found->score == 150);
  CHECK(found->why == "after a tool result");
}

TEST_CASE("ten stay before and five after") {
  CHECK_FALSE(find_boundary(script(turns(1, 3))));
  const auto world = script(turns(1, 5));
  const auto early = find_boundary(world, {.ratio = 0.1});
  REQUIRE(early);
  CHECK(early->index >= 10);
  const auto late = find_boundary(world, {.ratio = 0.95});
  REQUIRE(late);
  CHECK(late->index <= 15);
}

TEST_CASE("no place behind the latest is looked at") {
  const auto world = script(turns(1, 15));
  const auto found = find_boundary(world, {.latest = 22});
  REQUIRE(found);
  CHECK(found->index <= 22);
  CHECK(found->index >= 17);
  CHECK_FALSE(find_boundary(world, {.latest = 9}));
}
