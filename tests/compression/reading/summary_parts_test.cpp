#include "compression/reading/summary_parts.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;

namespace {

std::string turns(int n) {
  std::string out;
  for (int i = 1; i <= n; ++i)
    out += "user step " + std::to_string(i) + "\ncall " + std::to_string(i) + " Read a" + std::to_string(i) +
           ".cpp\nresult " + std::to_string(i) + " 60 lines\nassistant done " + std::to_string(i) + "\n";
  return out;
}

}  // namespace

TEST_CASE("parts hold every message once, in order, none over the room, no call without its result") {
  const auto whole = test::script(turns(30));
  for (const Tokens room : {count(whole) * 2, count(whole) / 2, count(whole) / 3, count(whole) / 7}) {
    const auto parts = summary_parts(whole, room);
    std::vector<ItemPtr> again;
    for (const auto& part : parts) {
      CHECK(count(part) <= room);
      CHECK_FALSE(std::holds_alternative<ToolResult>(part.items.front()->blocks.front()));
      again.insert(again.end(), part.items.begin(), part.items.end());
    }
    CHECK(again == whole.items);
    CHECK(static_cast<Tokens>(parts.size()) <= count(whole) / room + 3);
  }
  CHECK(summary_parts(whole, count(whole)).size() == 1);
}

TEST_CASE("sections of parts are joined heading by heading; the last part says where the work stands") {
  const std::string first =
      "<analysis>x</analysis><summary>\n1. Primary request and intent: build it\n3. Files and code:\n- "
      "a.cpp\n1. first\n2. "
      "second\n"
      "7. Pending tasks: none\n8. Current work: reading a.cpp\n</summary>";
  const std::string second =
      "<summary>\n## 1. Primary request and intent\nalso test it\n## 3. Files and code\n- b.cpp\n"
      "## 7. Pending tasks\nthe rest\n## 8. Current work\nwriting b.cpp\n</summary>";
  CHECK(joined_answers({first, second}, SummaryStyle::sections) ==
        "<summary>\n1. Primary request and intent:\nbuild it\nalso test it\n3. Files and code:\n- a.cpp\n1. "
        "first\n2. second\n- "
        "b.cpp\n7. Pending tasks:\nthe rest\n8. Current work:\nwriting b.cpp\n</summary>");
  CHECK(joined_answers({first}, SummaryStyle::sections) == first);
}

TEST_CASE("a part that has nothing under a heading adds nothing to it, however it says so") {
  const auto part = [](const std::string& nothing, const std::string& intent) {
    return "<summary>\n1. Primary request and intent: " + intent + "\n4. Errors and fixes:\n" + nothing +
           "\n7. Pending tasks: " + nothing + "\n8. Current work: " + intent + "\n</summary>";
  };
  CHECK(joined_answers({part("- none", "a"), part("- None.", "b"), part("* (none)", "c"), part("N/A", "d")},
                       SummaryStyle::sections) ==
        "<summary>\n1. Primary request and intent:\na\nb\nc\nd\n4. Errors and fixes:\nnone\n7. Pending "
        "tasks:\nnone\n"
        "8. Current work:\nd\n</summary>");
  const auto real =
      joined_answers({part("- none", "a"), part("- none of the tests ran", "b")}, SummaryStyle::sections);
  CHECK(real.find("4. Errors and fixes:\n- none of the tests ran\n7.") != std::string::npos);
}

TEST_CASE("snapshots of parts are joined field by field; the last plan stands") {
  const auto part = [](const std::string& knowledge, const std::string& plan) {
    return "<state_snapshot><overall_goal>go</overall_goal><key_knowledge>" + knowledge +
           "</key_knowledge><current_plan>" + plan + "</current_plan></state_snapshot>";
  };
  CHECK(joined_answers({part("a", "1. [TODO]"), part("b", "1. [DONE]")}, SummaryStyle::snapshot) ==
        "<state_snapshot>\n<overall_goal>\ngo\n</overall_goal>\n<key_knowledge>\na\nb\n</"
        "key_knowledge>\n<current_plan>\n1. "
        "[DONE]\n</current_plan>\n</state_snapshot>");
}

TEST_CASE("answers without headings follow each other; a missing one makes the whole worthless") {
  CHECK(joined_answers({"one", "two"}, SummaryStyle::sections) ==
        "<summary>\nPart 1 of 2:\none\n\nPart 2 of 2:\ntwo\n\n</summary>");
  CHECK(joined_answers({"one", " "}, SummaryStyle::sections).empty());
}
