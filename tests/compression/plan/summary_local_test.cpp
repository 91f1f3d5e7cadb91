#include "compression/plan/summary_local.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/plan/plan.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

const char* const local_world = R"(
  system Be brief
  user Fix the parser. Never touch the API.
  call 1 Read src/parser.cpp
  result 1 30 lines
  call 2 Edit src/parser.cpp
  result 2 = The file was updated
  call 3 Bash npm install left-pad
  result 3 = added 1 package
  call 4 Bash make test
  error 4 = make: no such file or directory
  call 5 Read src/parser.cpp
  result 5 30 lines
  call 6 Edit src/parser.cpp
  result 6 = The file was updated
  assistant The parser is fixed. It was an important bug in the lexer.
  user Thanks
)";

std::vector<ItemPtr> items() { return script(local_world).items; }
bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("messages are grouped by kind, calls with their results") {
  const auto all = items();
  const auto groups = group(all);
  CHECK(groups.messages == all.size() - 1);
  CHECK(groups.requests.size() == 2);
  CHECK(groups.answers.size() == 1);
  REQUIRE(groups.calls.size() == 6);
  CHECK(groups.errors.size() == 1);
  CHECK(groups.calls[0].result->subject == "src/parser.cpp");
  CHECK(groups.calls[0].recall == RecallId{1});
}

TEST_CASE("the system part counts and compares tokens") {
  const auto all = items();
  const auto text = system_part(group(all), "~200");
  CHECK(text.starts_with("Compacted 15 messages by rules: 2 requests, 1 answer, 6 tool calls, 1 error; ~"));
  CHECK(text.ends_with(" tokens before, ~200 after.\n"));
}

TEST_CASE("pictures and documents that leave are named by type and size") {
  std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\4\0\0\0\3\0", 24);
  const auto item = make_item({.role = Role::user,
                               .blocks = {Image{"image/png", png}, Image{"image/x", "?"},
                                          Document{"application/pdf", std::string(2'500, 'x')}}});
  CHECK(system_part(group({item}), {})
            .find("2 images, 1 document (image/png 1024×768, image/x 1 kB, "
                  "application/pdf 3 kB)") != std::string::npos);
}

TEST_CASE("what is asked again is told once") {
  const auto talk = script("user Fix it\nassistant Done\nuser continue\nassistant Yes\nuser continue\n");
  const auto part = conversation_part(group(talk.items), 300);
  CHECK(part.find("Asked: continue") != part.npos);
  CHECK(part.find("Asked: continue") == part.rfind("Asked: continue"));
}

TEST_CASE("the tool part tells frequency and patterns") {
  const auto all = items();
  const auto text = tool_part(group(all), 300);
  CHECK(says(text, "Frequency: Bash 2×, Edit 2×, Read 2×"));
  CHECK(says(text, "Patterns: Read → Edit 2×"));
}

TEST_CASE("the conversation part tells topics, changes, errors and points") {
  const auto all = items();
  const auto text = conversation_part(group(all), 300);
  CHECK(says(text, "Asked: Fix the parser. Never touch the API."));
  CHECK(says(text, "Changed: src/parser.cpp 2×"));
  CHECK(says(text, "Errors: not found 1×"));
  CHECK(says(text, "Point: The parser is fixed."));
}

TEST_CASE("a point is the sentence that decides, never the fence of a block of code") {
  const auto point = [](const char* answer) {
    const auto item = make_item({.role = Role::assistant, .blocks = {Text{answer}}});
    const auto part = conversation_part(group({item}), 300, {.threshold = 0});
    const auto at = part.find("Point: ");
    return at == part.npos ? std::string() : part.substr(at + 7, part.find('\n', at) - at - 7);
  };
  CHECK(point("I looked at both.\nWe use sqlite because it is one file.") ==
        "We use sqlite because it is one file.");
  CHECK(point("```cpp\nint main() {}\n``` is the code we decided on.") == "is the code we decided on.");
  CHECK(point("```cpp\nint main() {}\n```") == "int main() {}");
  CHECK(point("好的。决定用 sqlite，因为只有一个文件。") == "决定用 sqlite，因为只有一个文件。");
}

TEST_CASE("at most five topics and seven points are told") {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text +=
        "user Request " + std::to_string(i) + "\nassistant Answer number " + std::to_string(i) + " is here\n";
  const auto many = script(text);
  const auto part = conversation_part(group(many.items), 1'000);
  CHECK(says(part, "Asked: Request 4"));
  CHECK_FALSE(says(part, "Asked: Request 5"));
  CHECK(says(part, "… 7 more"));
  std::size_t points = 0;
  for (auto at = part.find("Point:"); at != part.npos; at = part.find("Point:", at + 1)) ++points;
  CHECK(points == 7);
}

TEST_CASE("the critical part keeps changes and failures with their results, newest first") {
  const auto all = items();
  const auto text = critical_part(group(all), 400);
  CHECK(says(text, "- Edit src/parser.cpp (file change): The file was updated · r6\n"));
  CHECK(says(text, "- Bash npm install left-pad (system change): added 1 package · r3\n"));
  CHECK(says(text, "- Bash make test (failure): make: no such file or directory · r4\n"));
  CHECK(text.find("r6") < text.find("r4"));
}

TEST_CASE("what room is left in the critical part shows results whole, newest first") {
  const auto all = script(R"(
  call 1 Bash make test
  error 1 = Exit code 2\nlexer.cpp:41: error: no member eof\nmake: *** [lexer.o] Error 1
  call 2 Edit src/lexer.cpp
  result 2 = The file was updated\n  41  - eof()\n  41  + at_end()
)")
                       .items;
  const auto roomy = critical_part(group(all), 400);
  CHECK(says(
      roomy,
      "(failure): Exit code 2\n  lexer.cpp:41: error: no member eof\n  make: *** [lexer.o] Error 1 · r1\n"));
  CHECK(says(roomy, "(file change): The file was updated\n    41  - eof()\n    41  + at_end() · r2\n"));
  const auto tight = critical_part(group(all), 75);
  CHECK(says(tight, "at_end()"));
  CHECK(says(tight, "(failure): Exit code 2 · r1\n"));
  CHECK(estimate(tight) <= 75);
}

TEST_CASE("what the user wrote is word for word within the budget") {
  const auto all = items();
  CHECK(says(user_part(group(all), 200), "> Fix the parser. Never touch the API.\n> Thanks\n"));
  CHECK_FALSE(says(user_part(group(all), 22), "Fix the parser"));
  CHECK(user_part(group({}), 100).empty());
}

TEST_CASE("the whole keeps its budget") {
  const auto all = items();
  const CompressionConfig config;
  const Conversation whole{all};
  for (const Tokens budget : {0, 20, 60, 150, 400, 2'000}) {
    const FoldedRounds folded{whole, all, std::vector<bool>(all.size()), budget, config};
    CHECK(estimate(local_summary_text(folded)) <= budget + 4);
  }
}

TEST_CASE("points come topic by topic, the important ones, and none below the threshold") {
  const auto talk = script(
      "user Fix parseConfig in src/core/parser.cpp\nassistant parseConfig in src/core/parser.cpp dropped the "
      "last line of a "
      "file.\n"
      "user Write about coloured borders in docs/look/theme.md\nassistant docs/look/theme.md tells of "
      "coloured borders now, with "
      "pictures.\n"
      "assistant ok\nuser Is parseConfig in src/core/parser.cpp tested?\n"
      "assistant Yes: parseConfig in src/core/parser.cpp has three tests now.");
  PointOrder order{.threshold = 0.3, .topic = {}, .topics = {"parser", "theme"}, .referenced = {}};
  const std::size_t topic[] = {0, 0, 1, 1, 1, 0, 0};
  for (std::size_t i = 0; i < talk.items.size(); ++i) order.topic[talk.items[i].get()] = topic[i];
  const auto part = conversation_part(group(talk.items), 1'000, order);
  const auto dropped = part.find("Point (parser): parseConfig"), tested = part.find("Point: Yes"),
             theme = part.find("Point (theme): docs");
  CHECK(dropped < tested);
  CHECK(tested < theme);
  CHECK(theme != part.npos);
  CHECK_FALSE(says(part, "Point: ok"));
  order.threshold = 0.9;
  CHECK_FALSE(says(conversation_part(group(talk.items), 1'000, order), "Point"));
}

TEST_CASE("what was named again later is a point before what was not") {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text +=
        "user Request " + std::to_string(i) + "\nassistant Answer number " + std::to_string(i) + " is here\n";
  const auto many = script(text);
  PointOrder order;
  CHECK_FALSE(says(conversation_part(group(many.items), 1'000, order), "Answer number 0"));
  order.referenced.insert(many.items[1].get());
  CHECK(says(conversation_part(group(many.items), 1'000, order), "Answer number 0"));
}

TEST_CASE("the local strategy folds what is old under one summary") {
  std::string text = "system Be brief\nuser Fix it, never push\n";
  for (int i = 1; i <= 40; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Read src/part" + n + ".cpp\nresult " + n + " 40 lines\n";
  }
  const auto before = script(text + "assistant Done");
  Budget budget;
  budget.window = count(before) / 2;
  budget.reserve = 0;
  const auto after = tern::apply(before, local_summary(before, budget, {}));
  CHECK(check(after).empty());
  CHECK(check_edit(before, after).empty());
  CHECK(count(after) <= compaction_goal(budget));
  const auto shown = test::to_script(after, 100'000);
  CHECK(says(shown, "Compacted "));
  Tokens folds = 0;
  for (const auto& item : after.items)
    for (const auto& block : item->blocks)
      if (const auto* summary = std::get_if<Summary>(&block)) folds += estimate(summary->text);
  const auto told = std::stoll(shown.substr(shown.find(" tokens before, ~") + 17));
  CHECK(std::abs(told - folds) < folds / 20 + 8);  // what stands in their place, not the budget
  CHECK(says(shown, "Fix it, never push"));
  CHECK(says(shown, "[Earlier work: "));
}
