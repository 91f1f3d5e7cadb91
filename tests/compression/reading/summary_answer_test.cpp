#include "compression/reading/summary_answer.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/reading/summary_parts.h"

using namespace tern;

namespace {

std::string text_of(std::string_view answer, SummaryStyle style = SummaryStyle::sections) {
  return summary_answer(answer, style).text;
}

}  // namespace

TEST_CASE("private thoughts never stand in a summary, whatever they say about its tags") {
  for (const char* answer : {
           "<analysis>I will write inside <summary> tags. secret</analysis><summary>1. a</summary>",
           "<analysis>I end with </analysis> and then <summary> and </summary>: "
           "secret</analysis>\n<summary>1. a</summary>",
           "<ANALYSIS>secret</ANALYSIS><SUMMARY>1. a</SUMMARY>",
           "<Analysis>secret <Summary>1. a</summary>",
           "<analysis>never closed, inside <summary> tags, secret\n<summary>1. a</summary>",
           "<analysis>secret</analysis>Here it is:\n<summary>1. a</summary>",
           "<analysis>secret</analysis>\n<analysis>more secret</analysis>\n<summary>1. a</summary>",
           "<scratchpad>secret</scratchpad><summary>1. a</summary>",
           "<summary>1. a</summary>\n<analysis>secret, and </summary> again</analysis>",
           "<summary><analysis>secret</analysis>1. a</summary>",
           "I write a <summary> now. <analysis>secret</analysis><summary>1. a</summary>",
           "<analysis>secret</analysis>1. a",
           "<analysis>secret</analysis>1. a</summary>",
           "<scratchpad>secret, then <state_snapshot> follows</scratchpad><state_snapshot>1. "
           "a</state_snapshot>",
       }) {
    INFO(answer);
    CHECK(text_of(answer) == "1. a");
    CHECK(bare_summary(answer) == "1. a");
    CHECK(joined_answers({answer, "1. a"}, SummaryStyle::sections) ==
          "<summary>\nPart 1 of 2:\n1. a\n\nPart 2 of 2:\n1. a\n\n</summary>");
  }
  CHECK(text_of("<analysis>only secrets").empty());
  CHECK(text_of("Sure. <ANALYSIS>only secrets") == "Sure. ");
}

TEST_CASE("a summary that speaks of the tags keeps its words") {
  CHECK(text_of("<summary>1. the prompt's `<analysis>` tag, `</analysis>` and `</summary>` were "
                "renamed</summary>") ==
        "1. the prompt's `<analysis>` tag, `</analysis>` and `</summary>` were renamed");
  CHECK(text_of("<state_snapshot>the `<summary>` tag</state_snapshot>") == "the `<summary>` tag");
  CHECK(text_of("<summary>1. asked to print `</summary>`\n2. b</summary>") ==
        "1. asked to print `</summary>`\n2. b");
}

TEST_CASE("an answer is closed when its last tag ends it") {
  const auto closed = [](std::string_view answer) {
    return summary_answer(answer, SummaryStyle::sections).closed;
  };
  CHECK(closed("<summary>1. a</summary>\n"));
  CHECK(closed("```\n<summary>1. a</SUMMARY>\n```\n"));
  CHECK(closed("<summary>1. a</summary><analysis>now that"));
  CHECK_FALSE(closed("<summary>1. asked to print </summary> and then"));
  CHECK_FALSE(closed("<summary>1. a"));
  CHECK_FALSE(closed("1. a"));
}
