#include "compression/values/check.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/context_edit.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

std::string faults(const char* text) {
  std::string all;
  for (const auto& problem : check(script(text)))
    all += std::to_string(problem.item.value) + ": " + problem.what + "\n";
  return all;
}

// What repair makes of it passes check, and repairing it again changes nothing.
std::string repaired(const char* text) {
  const auto once = repair(script(text));
  CHECK(check(once).empty());
  CHECK(repair(once).items == once.items);
  return to_script(once);
}

}  // namespace

TEST_CASE("a whole conversation has no faults, and repair keeps every pointer") {
  const auto conversation = script(R"(
    system 1 Be brief
    user Fix it
    think hm
    say Reading.
    call 1 Read a.cpp
    call 2 Read b.cpp
    result 1 3 lines
    result 2 3 lines
    user and hurry
    assistant Done)");
  CHECK(check(conversation).empty());
  CHECK(repair(conversation).items == conversation.items);
}

TEST_CASE("check names each fault") {
  CHECK(faults("assistant 1 hello") == "1: first message is not the user's\n");
  CHECK(faults("user 1 a\nassistant 2 b\nassistant 3 c") == "3: two assistant messages in a row\n");
  CHECK(faults("user 1  \nassistant 2 b") == "1: empty text\n");
  CHECK(faults("user 1 a\nsystem 2 late") == "2: system message after the conversation began\n");
  CHECK(faults("user 1 a\ncall 1 Read x") == "2: call without a result: c1\n");
  CHECK(faults("user 1 a\ncall 1 Read x\nuser 3 wait\nresult 1 = y") ==
        "2: call without a result: c1\n4: result without its call: c1\n");
  CHECK(faults("user 1 a\ncall 1 Read x\nresult 1 = y\nresult 1 = z") == "3: two results for one call: c1\n");
  CHECK(faults("user 1 a\ncall 1 Read x\ncall 1 Read x\nresult 1 = y") == "2: call id used twice: c1\n");
}

TEST_CASE("repair answers what was interrupted, with the same id every time") {
  const auto text = "user 1 a\ncall 1 Read x\ncall 2 Read y\nresult 1 = done";
  CHECK(repaired(text) ==
        "user 1 a\ncall 1 Read x\ncall 2 Read y\nresult 1 = done\nerror 2 = [interrupted: no result was "
        "recorded]\n");
  CHECK(repaired("user 1 a\ncall 1 Read x") ==
        "user 1 a\ncall 1 Read x\nerror 1 = [interrupted: no result was recorded]\n");
  CHECK(repair(script("user 1 a\ncall 1 Read x")).items[2]->id ==
        repair(script("user 1 a\ncall 1 Read x\nassistant 9 b")).items[2]->id);
}

TEST_CASE("repair moves late results to their place and lets orphans go") {
  CHECK(repaired("user 1 a\ncall 1 Read x\nuser 3 wait\nresult 1 = y") ==
        "user 1 a\ncall 1 Read x\nresult 1 = y\nuser 3 wait\n");
  CHECK(repaired("user 1 a\nassistant 2 b\nresult 7 = lost\nassistant 4 c") ==
        "user 1 a\nassistant 2 b\nsay c\n");
  CHECK(repaired("user 1 a\ncall 1 Read x\nresult 1 = y\nresult 1 = z") ==
        "user 1 a\ncall 1 Read x\nresult 1 = y\n");
}

TEST_CASE("repair drops empty texts, opens with the user and moves the system prompt to the front") {
  CHECK(repaired("user 1  \nassistant 2 hello") ==
        "user 4611686018427387906 [the conversation begins here]\nassistant 2 hello\n");
  CHECK(repaired("user 1 a\nsystem 2 late\nassistant 3 b") == "system 2 late\nuser 1 a\nassistant 3 b\n");
}

TEST_CASE("check_edit guards the system prompt, the pins and the size") {
  const auto before = script("system 1 s\nuser 2 keep me\npin\nassistant 3 b");
  auto after = before;
  CHECK(check_edit(before, after).empty());
  after.items.erase(after.items.begin(), after.items.begin() + 2);
  const auto problems = check_edit(before, after);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].what == "system message is gone");
  CHECK(problems[1].what == "pinned message is gone");
  CHECK(check_edit(after, before).front().what.starts_with("tokens grew from"));
}
