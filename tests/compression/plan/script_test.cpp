#include "tests/support/script.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "compression/values/check.h"
#include "compression/values/tokens.h"

using namespace tern;
using test::script;
using test::to_script;

TEST_CASE("a script reads into a conversation and prints back the same lines") {
  const char* const text =
      "system 1 Be brief\n"
      "user 2 Fix it\\nnow\n"
      "think a thought\n"
      "call 1 Read src/a.cpp\n"
      "call 2 Bash make \"x\"\n"
      "result 1 = int main() {}\n"
      "error 2 = exit 1\n"
      "assistant 7 Done\n"
      "user 9 thanks\n"
      "pin\n"
      "summary 1-4 what was\n";
  const auto conversation = script(text);
  CHECK(check(conversation).empty());
  CHECK(to_script(conversation) == text);
}

TEST_CASE("a script numbers items in order and generates results of a size") {
  const auto conversation = script(
      "user Fix it\ncall 2 Read a.cpp\nresult 2 300 lines\ncall 3 Bash make\nresult 3 5000 chars\n"
      "call 4 Grep x\nresult 4 2000 tokens\n");
  REQUIRE(conversation.items.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(conversation.items[i]->id.value == i + 1);
  const auto& read = std::get<ToolResult>(conversation.items[2]->blocks[0]);
  CHECK(std::count(read.text.begin(), read.text.end(), '\n') == 300);
  CHECK(read.tool == "Read");
  CHECK(read.subject == "a.cpp");
  CHECK(read.recall == RecallId{2});
  CHECK(std::get<ToolResult>(conversation.items[4]->blocks[0]).text.size() == 5000);
  CHECK(estimate(std::get<ToolResult>(conversation.items[6]->blocks[0]).text) <= 2000);
  CHECK(estimate(std::get<ToolResult>(conversation.items[6]->blocks[0]).text) > 1900);
}

TEST_CASE("the clock of a script moves ten seconds a message, or as told") {
  const auto items = script("user a\nuser b\nat +6m\nuser c").items;
  CHECK(items[1]->when - items[0]->when == std::chrono::seconds(10));
  CHECK(items[2]->when - items[1]->when == std::chrono::seconds(370));
}

TEST_CASE("an unknown line is an error") { CHECK_THROWS_AS(script("usr Fix it"), std::invalid_argument); }
