#include <catch2/catch_test_macros.hpp>

#include "compression/plan/plan.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

Conversation exchange(int turns, int tokens) {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n + " " +
            std::to_string(tokens) + " tokens\nassistant answer " + n + "\n";
  }
  return script(text);
}

// Generated text as a script has it.
std::string lines(std::string_view tool, int count) {
  std::string text = test::generated_lines(tool, "a.md", count, 1);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) text.replace(at, 1, "\\n");
  return text;
}

Conversation truncated(const Conversation& before, Tokens target) {
  const auto edits = truncate(before, {}, target);
  auto after = tern::apply(before, edits);
  INFO(to_script(after));
  CHECK(check(after).empty());
  CHECK(count(after) <= target);
  CHECK(saved(edits) == count(before) - count(after));
  return after;
}

}  // namespace

TEST_CASE("the newest stays as far as it fits, with all user messages that are cheap") {
  const auto before = exchange(20, 400);
  const auto after = to_script(truncated(before, 5'000), 20);
  CHECK(after.starts_with("system 1 Be brief\nuser 2 question 1\n"));
  CHECK(after.find("question 7\n") != std::string::npos);
  CHECK(after.find("call 7 ") == std::string::npos);
  CHECK(after.find("call 20 ") != std::string::npos);
  CHECK(after.find("call 11 ") != std::string::npos);
}

TEST_CASE("the newest summary stays, because it stands for all that left before") {
  std::string text = "summary 1-90 They wanted the parser fixed; src/parse.cpp was changed\n";
  for (int i = 1; i <= 8; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Read f" + n + ".cpp\nresult " + n + " 900 tokens\n";
  }
  const auto before = script(text + "assistant done\nuser go on");
  const auto after = to_script(truncated(before, 5'000), 80);
  CHECK(after.find("They wanted the parser fixed") != std::string::npos);
  CHECK(after.find("call 8 ") != std::string::npos);
  CHECK(after.find("call 1 ") == std::string::npos);
  CHECK(to_script(truncated(before, 120), 80).find("summary 1-90 ") !=
        std::string::npos);  // shortened, never gone
}

TEST_CASE("the summary stays where the protected results alone are larger than the window") {
  std::string text =
      "summary 1-90 They wanted the parser fixed; src/parse.cpp was changed\nuser as you were\n";
  for (int i = 1; i <= 3; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Read f" + n + ".cpp\nresult " + n + " 900 tokens\n";
  }
  const auto after = to_script(truncated(script(text + "user go on"), 1'200), 80);
  CHECK(after.find("They wanted the parser fixed") != std::string::npos);
  CHECK(after.find("call 3 ") != std::string::npos);
  CHECK(after.find("user 9 go on") != std::string::npos);
}

TEST_CASE("a summary larger than half of the room is not given up for a long paste") {
  const auto before = script("summary 1-90 They wanted the parser fixed\\n" + lines("Read", 40) +
                             "\nuser look: " + std::string(40'000, 'x') + "\nassistant ok\nuser go on");
  const auto after = to_script(truncated(before, 1'500), 100'000);
  CHECK(after.find("summary 1-90 They wanted the parser fixed") != std::string::npos);
  CHECK(after.find("user 4 go on") != std::string::npos);
}

TEST_CASE(
    "of what the person wrote the longest gives way, the short stays word for word, and the cut names its "
    "original") {
  auto before = script(
      "user Fix the parser, never touch the API, run the tests with make check, and keep the old file format "
      "alive "
      "for the readers in the field who still have it: that is the one thing nobody forgives us\nassistant "
      "ok\nuser log: " +
      lines("Bash", 400) + "\nassistant seen\nuser go on");
  Item pasted = *before.items[2];
  pasted.recall = RecallId{77};
  before.items[2] = make_item(std::move(pasted));
  const auto after = to_script(truncated(before, 400), 100'000);
  CHECK(after.find("nobody forgives us\n") != std::string::npos);
  CHECK(after.find("r77") != std::string::npos);
}

TEST_CASE("what fits is left alone") { CHECK(truncate(exchange(3, 100), {}, 10'000).empty()); }

TEST_CASE("pins stay byte for byte while the rest makes room") {
  const auto before = script(
      "user go\nassistant remember this sentence\npin\nuser and\ncall 1 Read a\nresult 1 9000 tokens\n"
      "assistant b\nuser c\nassistant d\nuser e\nassistant f\nuser g");
  const auto after = truncated(before, 600);
  CHECK(check_edit(before, after).empty());
  CHECK(to_script(after).find("remember this sentence\npin") != std::string::npos);
}

TEST_CASE("when the protected part alone is too large its largest results are snipped harder") {
  const auto before = exchange(5, 4'000);
  const auto after = truncated(before, 3'000);
  CHECK(after.items.size() == before.items.size() - 4);  // only the old answers beside them left
  CHECK(to_script(after, 5'000).find("recall r3]") != std::string::npos);
}

TEST_CASE("it never fails, however small the target") {
  for (const Tokens target : {2'000, 600, 300, 150, 100}) truncated(exchange(12, 3'000), target);
  truncated(script("user " + std::string(40'000, 'x')), 100);
  truncated(script("user a\nuser " + std::string(400, 'x') + " words and more words\npin\nassistant b"), 80);
  truncated(script("user a\nimage 20000 bytes\nassistant b\nuser c"), 100);
}

TEST_CASE("thoughts of the newest round give way whole, with their message's others, before what it says") {
  const std::string thought = lines("Bash", 3'000);
  const auto before = script("user go\nthink " + thought +
                             "\nsay I look\nthink short\ncall 1 Read a.cpp\nresult 1 300 tokens");
  const auto after = truncated(before, 5'000);
  CHECK(to_script(after).find("say I look") != std::string::npos);
  for (const auto& block : after.items[1]->blocks) {
    if (const auto* left = std::get_if<Thinking>(&block)) CHECK(*left == Thinking{});
  }
  CHECK(after.items[2] == before.items[2]);
  truncated(script("user go\nthink " + thought + "\nsay I look\npin\nuser on"), 200);
}

TEST_CASE("thoughts that are never resent leave before anything else does") {
  auto before = exchange(5, 400);
  Item item = *before.items[2];
  item.blocks.insert(item.blocks.begin(), Thinking{std::string(40'000, 'x') + " and so on", ""});
  before.items[2] = make_item(std::move(item));
  const auto after = truncated(before, 4'000);
  CHECK(after.items.size() == before.items.size());
  CHECK(std::get<Thinking>(after.items[2]->blocks[0]).text.empty());
}

TEST_CASE("hundreds of calls in the newest round are cut to what fits") {
  for (const int calls : {100, 300, 900}) {
    std::string text = "user go\n", results;
    for (int i = 1; i <= calls; ++i) {
      const auto n = std::to_string(i);
      text += "call " + n + " Read src/some/folder/file" + n + ".cpp\n";
      results += "result " + n + " 60 tokens\n";
    }
    const auto before = script(text + results);
    for (const Tokens target : {20'000, 5'000, 1'000}) truncated(before, target);
  }
}

TEST_CASE("only the system messages may leave more than the target") {
  const auto before = script("system " + lines("Bash", 200) + "\nuser go\nassistant ok\npin");
  const auto after = tern::apply(before, truncate(before, {}, 500));
  CHECK(check(after).empty());
  CHECK(after.items[0] == before.items[0]);
  CHECK(count(after) - before.items[0]->tokens <= 60);
}

TEST_CASE("pins whose frames alone are larger than the budget leave, the oldest first") {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= 60; ++i) {
    const auto n = std::to_string(i);
    text += "user Never touch module " + n + "\npin\ncall " + n + " Read a.cpp\nresult " + n + " = ok\npin\n";
  }
  const auto before = script(text + "user go");
  for (const Tokens target : {2'000, 800, 200}) {
    const auto after = truncated(before, target);
    CHECK(after.items.back() == before.items.back());
  }
}

TEST_CASE("a table that was read is cut as source: its rows stay") {
  std::string table;
  for (int i = 1; i <= 400; ++i) table += "row number " + std::to_string(i) + " of the table\\n";
  const auto before = script("user go\ncall 1 Read table.txt\nresult 1 = " + table + "\nuser on");
  const auto after = truncated(before, count(before) * 3 / 4);
  CHECK(count(after) > count(before) / 2);
  CHECK(to_script(after, 100'000).find("lines like these") == std::string::npos);
}
