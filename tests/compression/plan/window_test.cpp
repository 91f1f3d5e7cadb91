#include "compression/plan/window.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

Conversation long_talk(int turns) {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n +
            " 400 tokens\nassistant We decided number " + n + " because the parser needs it in part " + n +
            ".\n";
  }
  return script(text);
}

std::string questions_left(const Conversation& conversation) {
  std::string found;
  for (const auto& item : conversation.items) {
    const auto* text = std::get_if<Text>(&item->blocks[0]);
    if (text && text->text.starts_with("question ")) found += text->text.substr(9) + " ";
  }
  return found;
}

std::vector<std::string> summaries_of(const Conversation& conversation) {
  std::vector<std::string> found;
  for (const auto& item : conversation.items)
    for (const auto* summary : blocks_of<Summary>(*item)) found.push_back(summary->text);
  return found;
}

Budget window_of(int max_turns, int keep_recent) {
  Budget budget;
  budget.config.sliding_window = true;
  budget.config.max_turns = max_turns;
  budget.config.keep_recent = keep_recent;
  return budget;
}

struct Slides {
  Conversation end;
  int count = 0;
  std::size_t most_summaries = 0;
  Tokens largest = 0;
};

// As a session does it: one turn after the other, the window looked at before each.
Slides slides_over(int turns, const Budget& budget) {
  const auto whole = long_talk(turns);
  Slides slides;
  std::uint64_t next_id = 10'000;
  for (const auto& item : whole.items) {
    slides.end.items.push_back(item);
    if (item->role != Role::assistant || has<ToolCall>(*item)) continue;
    auto edits = window_summary(slides.end, budget, {});
    if (!edits.empty()) {
      ItemId fresh{next_id};
      give_ids(edits, fresh);
      next_id = fresh.value;
      const auto before = slides.end;
      slides.end = tern::apply(before, edits);
      CHECK(check(slides.end).empty());
      CHECK(check_edit(before, slides.end).empty());
      ++slides.count;
    }
    slides.most_summaries = std::max(slides.most_summaries, summaries_of(slides.end).size());
    slides.largest = std::max(slides.largest, count(slides.end));
  }
  return slides;
}

}  // namespace

TEST_CASE("the sliding window keeps the newest turns once there are too many") {
  const auto config = window_of(15, 4).config;
  CHECK(slide(long_talk(15), config).empty());
  const auto before = long_talk(16);
  const auto after = tern::apply(before, slide(before, config));
  CHECK(check(after).empty());
  CHECK(questions_left(after).starts_with("1 "));
  CHECK(questions_left(after).ends_with("13 14 15 16 "));
  CHECK(questions_left(after).find("10 ") == std::string::npos);
}

TEST_CASE("the window slides in batches, and one summary stands for all that slid out") {
  const auto slides = slides_over(30, window_of(8, 5));
  CHECK(slides.count <= 7);  // 22 turns more than the window holds, four at a time
  CHECK(slides.most_summaries == 1);
  const auto summary = summaries_of(slides.end).front();
  INFO(summary);
  CHECK(summary.find("question 1\n") != std::string::npos);  // the person's words of every batch
  CHECK(summary.find("question 20") != std::string::npos);
  CHECK(summary.find("We decided number 2 because") != std::string::npos);
  CHECK(summary.find("We decided number 20 because") != std::string::npos);
  const auto later = slides_over(120, window_of(8, 5));
  CHECK(later.most_summaries == 1);
  CHECK(later.largest < slides.largest * 2);  // words stay, the rest does not grow
}

TEST_CASE("where keepRecent leaves no batch the window slides when it is twice as full") {
  CHECK(slide(long_talk(10), window_of(5, 5).config).empty());
  CHECK_FALSE(slide(long_talk(11), window_of(5, 5).config).empty());
}

TEST_CASE("a large summary by a model stays beside the window's own") {
  std::string told = "[Summary]\\n\\n1. Request: the parser";
  for (int i = 0; i < 900; ++i) told += "\\n- point " + std::to_string(i) + " of what was done";
  auto conversation = script("summary 1-4 " + told);
  const auto talk = long_talk(20);
  conversation.items.insert(conversation.items.end(), talk.items.begin() + 1, talk.items.end());
  auto edits = window_summary(conversation, window_of(8, 5), {});
  REQUIRE_FALSE(edits.empty());
  ItemId fresh{10'000};
  give_ids(edits, fresh);
  const auto after = tern::apply(conversation, edits);
  const auto summaries = summaries_of(after);
  REQUIRE(summaries.size() == 2);
  CHECK(summaries.front().find("point 899") != std::string::npos);
}

TEST_CASE("preserveToolCalls off leaves the tools out of a summary by rules") {
  auto budget = window_of(8, 5);
  const auto told = [&] {
    return summaries_of(tern::apply(long_talk(20), window_summary(long_talk(20), budget, {}))).front();
  };
  CHECK(told().find("Frequency: Read ") != std::string::npos);
  budget.config.preserve_tool_calls = false;
  CHECK(told().find("Frequency: Read ") == std::string::npos);
}
