#include "compression/reading/summarize.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/plan/plan.h"
#include "compression/reading/summary_prompt.h"
#include "compression/reading/summary_text.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

std::string turns(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) {
    const auto n = std::to_string(i);
    out += "user Please do step " + n + "\ncall " + n + " Read src/part" + n + ".cpp\nresult " + n +
           " 40 lines\nassistant Done with " + n + "\n";
  }
  return out;
}

struct Setup {
  Conversation world = script("system Be brief\n" + turns(1, 12));
  Budget budget;
  SummaryRequest request;
  Setup() {
    budget.window = count(world) + 1'000;
    budget.reserve = 1'000;
    request = summary_request(world, budget, *summary_range(world, budget), "", {});
    request.new_id = {1'000};
  }
};

std::string text_of(const std::variant<Edits, Rejected>& made) {
  for (const auto& edit : std::get<Edits>(made)) {
    if (const auto* insert = std::get_if<Insert>(&edit.how))
      return std::get<Summary>(insert->item->blocks[0]).text;
  }
  return {};
}
bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
std::string rejected(const std::variant<Edits, Rejected>& made) {
  const auto* r = std::get_if<Rejected>(&made);
  return r ? r->why : "";
}

}  // namespace

TEST_CASE(
    "the prompt of sections asks for private analysis, the nine founding parts, preferences and decisions") {
  const auto prompt = summary_prompt(SummaryStyle::sections, "");
  for (const char* part :
       {"<analysis>", "<summary>", "1. Primary request", "2. Key technical", "3. Files and code",
        "4. Errors and fixes", "5. Problem solving", "6. All user messages", "7. Pending tasks",
        "8. Current work", "9. Next step", "10. User preferences", "11. Key decisions", "word for word"}) {
    CHECK(contains(prompt, part));
  }
  CHECK_FALSE(contains(prompt, "Compact instructions"));
}

TEST_CASE("the prompt of a snapshot asks for a private scratchpad and five parts") {
  const auto prompt = summary_prompt(SummaryStyle::snapshot, "Focus on tests");
  for (const char* part : {"<scratchpad>", "<state_snapshot>", "<overall_goal>", "<key_knowledge>",
                           "<file_system_state>", "<recent_actions>", "<current_plan>"}) {
    CHECK(contains(prompt, part));
  }
  CHECK(contains(prompt, "## Compact instructions"));
  CHECK(prompt.ends_with("Focus on tests"));
}

TEST_CASE("a request covers whole rounds and leaves a tail") {
  Setup s;
  CHECK(check(s.request.source).empty());
  CHECK(s.request.covers.first == s.world.items[1]->id);
  CHECK(s.request.insert_before != ItemId{});
  CHECK(s.request.replaces ==
        count(s.request.source) - s.world.items[1]->tokens);  // the first request stays itself
  CHECK(s.request.target > 0);
  CHECK(contains(s.request.kept, "> Please do step 2"));
  CHECK(contains(s.request.index, "src/part"));
}

TEST_CASE("a change of topic near the place for the tail is where a summary ends") {
  const auto last_covered = [](int changed) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      const auto n = std::to_string(i);
      text += "user " + std::string(i == changed ? "\xE6\x8D\xA2\xE4\xB8\xAA\xE8\xAF\x9D\xE9\xA2\x98 " : "") +
              "question " + n + "\nassistant " + std::string(800, 'a') + "\n";
    }
    const auto world = script(text);
    Budget budget;
    budget.window = count(world) + 1'000;
    budget.reserve = 1'000;
    return summary_range(world, budget).value().last.value;
  };
  const auto usual = last_covered(-1);
  REQUIRE(usual % 2 == 0);  // an answer
  const auto turn = usual / 2 + 1;
  CHECK(last_covered(static_cast<int>(turn)) == usual + 2);
}

TEST_CASE("long answers between the newest results do not keep a summary in a small window from its goal") {
  std::string text;
  for (int i = 1; i <= 14; ++i) {
    const auto n = std::to_string(i);
    text += "user Step " + n + "\ncall " + n + " Bash x\nresult " + n + " 200 tokens\nassistant " +
            std::string(3'200, 'a') + "\n";
  }
  const auto world = script(text);
  Budget budget{.window = 14'000, .reserve = 0};
  const auto due = plan(world, budget, {.manual = true, .strategy = "sections"});
  REQUIRE(due.ask);
  CHECK(count(world) - due.ask->replaces <= compaction_goal(budget));
}

TEST_CASE("the answer takes the place of what it stands for") {
  Setup s;
  const auto made =
      with_summary(s.request, "<analysis>private</analysis>\n<summary>\n1. All is well\n</summary>");
  const auto after = tern::apply(s.world, std::get<Edits>(made));
  CHECK(check(after).empty());
  CHECK(check_edit(s.world, after).empty());
  CHECK(count(after) < count(s.world));
  CHECK(after.items[0] == s.world.items[0]);
  CHECK(after.items[1] == s.world.items[1]);
  CHECK(after.items[2]->id == ItemId{1'000});
  const auto text = text_of(made);
  CHECK(text.starts_with("[The context was compressed: this summary stands for "));
  CHECK(contains(text, "recalled"));
  CHECK(contains(text, "1. All is well"));
  CHECK(contains(text, "> Please do step 2"));
  CHECK_FALSE(contains(text, "private"));
}

TEST_CASE("answers out of shape are understood") {
  Setup s;
  const auto body = [&](const char* answer) { return text_of(with_summary(s.request, answer)); };
  for (const char* answer : {
           "<summary>\n1. All is well",                                 // unclosed
           "1. All is well",                                            // no tags
           "Sure! Here is the summary:\n\n1. All is well",              // chatter
           "```xml\n<summary>\n1. All is well\n</summary>\n```",        // fenced
           "<summary>\n```\n1. All is well\n```\n</summary>",           // fence inside
           "<analysis>never closed <summary>1. All is well</summary>",  // unclosed thinking
           "1. All is well</summary>",                                  // unopened
           "<state_snapshot>\n1. All is well\n</state_snapshot>",       // the other style
           "<analysis>a</analysis>1. All is well",                      // thinking, then no tags
       }) {
    INFO(answer);
    const auto text = body(answer);
    CHECK(contains(text, "\n\n1. All is well\n\n"));
    CHECK_FALSE(contains(text, "analysis"));
    CHECK_FALSE(contains(text, "```"));
  }
}

TEST_CASE("bad answers are rejected with the reason") {
  Setup s;
  CHECK(rejected(with_summary(s.request, "")) == "the summary is empty");
  CHECK(rejected(with_summary(s.request, "<analysis>only thoughts")) == "the summary is empty");
  CHECK(rejected(with_summary(s.request, "<summary>half of", false)) == "the summary was cut off");
  CHECK(rejected(with_summary(s.request, "<summary>whole</summary>\n```\n", false)).empty());
  CHECK(rejected(with_summary(s.request, "<summary>whole</summary><analysis>was that", false)).empty());
  CHECK(rejected(with_summary(s.request, "<summary>1. asked to print </summary> and then", false)) ==
        "the summary was cut off");
  std::string longer = "<summary>";
  for (int i = 0; i < 20'000; ++i) longer += " word";
  CHECK(contains(rejected(with_summary(s.request, longer + "</summary>")), "larger than what it replaces"));
  s.request.target = 40;
  CHECK(contains(rejected(with_summary(s.request, "<summary>ok</summary>")), "over its target"));
}

TEST_CASE("pins inside the range stay, and what is left is legal") {
  auto world = script("system Be brief\n" + turns(1, 2) + "pin\n" + turns(3, 4) + "user Pinned words\npin\n" +
                      turns(5, 12));
  Budget budget;
  budget.window = count(world) + 1'000;
  budget.reserve = 1'000;
  auto request = summary_request(world, budget, {world.items[1]->id, world.items[30]->id}, "", {});
  const auto after = tern::apply(world, std::get<Edits>(with_summary(request, "<summary>1. Fine</summary>")));
  INFO(to_script(after, 60));
  CHECK(check(after).empty());
  CHECK(check_edit(world, after).empty());
}

TEST_CASE("the range of a person is widened to whole rounds") {
  Setup s;
  const auto request =
      summary_request(s.world, s.budget, {s.world.items[2]->id, s.world.items[6]->id}, "", {});
  CHECK(request.covers.first == s.world.items[1]->id);
  CHECK(request.covers.last == s.world.items[7]->id);
  CHECK(check(request.source).empty());
}

TEST_CASE("an earlier summary is not summarised again") {
  const auto world = script("summary 1-4 Earlier work\n" + turns(5, 20));
  Budget budget;
  budget.window = count(world) + 1'000;
  budget.reserve = 1'000;
  const auto range = summary_range(world, budget);
  REQUIRE(range);
  CHECK(range->first == world.items[1]->id);
}

TEST_CASE("a short conversation has nothing to summarise") {
  const auto world = script("user a\nassistant b");
  CHECK_FALSE(summary_range(world, {}));
  CHECK(summary_request(world, {}, {{90}, {95}}, "", {}).source.items.empty());
}

TEST_CASE("the plan asks for a summary when the third tier is due") {
  Setup s;
  const auto due = plan(s.world, s.budget, {.manual = true, .focus = "Mind the tests"});
  REQUIRE(due.ask);
  CHECK(due.tier == Tier::compact);
  CHECK(due.edits.empty());
  CHECK(due.ask->instructions.ends_with("Mind the tests"));
  const auto snapshot = plan(s.world, s.budget, {.manual = true, .strategy = "snapshot"});
  REQUIRE(snapshot.ask);
  CHECK(snapshot.ask->style == SummaryStyle::snapshot);
}

TEST_CASE("a summary of summaries keeps every paragraph that the person wrote") {
  std::string world_text =
      "user Begin\nassistant Yes\nuser Fix the parser.\\n\\nNever touch the API!\\n> as Ann said\\n\\nThen "
      "the docs.\n";
  world_text += "call 99 Read src/a.cpp\nresult 99 300 lines\nassistant ok\nuser And the tests, please\n" +
                turns(1, 12);
  const auto world = script(world_text);
  Budget budget;
  budget.window = count(world) + 1'000;
  budget.reserve = 1'000;
  auto first = summary_request(world, budget, {world.items[0]->id, world.items[22]->id}, "", {});
  first.new_id = {1'000};
  const auto once = tern::apply(world, std::get<Edits>(with_summary(first, "<summary>1. Begun</summary>")));
  REQUIRE(once.items[1]->id == ItemId{1'000});
  auto second = summary_request(once, budget, {{1'000}, once.items[20]->id}, "", {});
  second.new_id = {1'001};
  CHECK(second.kept.starts_with(
      "> Fix the parser.\n\nNever touch the API!\n> as Ann said\n\nThen the docs.\n> And the tests, please"));
  const auto made = with_summary(second, "<summary>1. Went on</summary>");
  CHECK(contains(text_of(made), "> And the tests, please\n> Please do step 1\n"));
}

TEST_CASE("how many messages found no room is told, and added up from summary to summary") {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= 60; ++i)
    text += "user Please do the step with the number " + std::to_string(i) +
            " of the long list that I gave\nassistant Done\n";
  auto world = script(text);
  Budget budget;
  budget.reserve = 0;
  budget.window = count(world);
  const auto told = [](const std::string& kept) {
    const auto at = kept.find("> [and ");
    return at == std::string::npos ? 0 : std::stoi(kept.substr(at + 7));
  };
  const auto quotes = [](const std::string& kept) {
    int n = 0;
    for (auto at = kept.find("> Please"); at != std::string::npos; at = kept.find("> Please", at + 1)) ++n;
    return n;
  };
  auto request = summary_request(world, budget, {world.items[1]->id, world.items[80]->id}, "", {});
  CHECK(told(request.kept) > 0);
  CHECK(told(request.kept) + quotes(request.kept) == 39);  // the first stays itself
  request.new_id = {5'000};
  world = tern::apply(world, std::get<Edits>(with_summary(request, "<summary>1. work</summary>")));
  const auto second = summary_request(world, budget, {world.items[1]->id, world.items.back()->id}, "", {});
  CHECK(told(second.kept) + quotes(second.kept) == 56);                        // the last three, too
  CHECK(contains(second.kept, "> Please do the step with the number 57 of"));  // the newest that leaves
}

TEST_CASE("a tail larger than the goal leaves a summary the room that a model needs") {
  const auto world =
      script("system Be brief\n" + turns(1, 12) + "call 90 Read src/all.cpp\nresult 90 900 lines\n");
  Budget budget;
  budget.window = count(world) + 1'000;
  budget.reserve = 1'000;
  const auto request = summary_request(world, budget, {world.items[1]->id, world.items[40]->id}, "", {});
  REQUIRE(count(world) - request.replaces > compaction_goal(budget));
  CHECK(request.target >= 1'000);
  CHECK(request.target < request.replaces);
}

TEST_CASE("a long request that does not fit keeps its head and its tail and the id of the whole") {
  std::string asked = "Mend the parser. ";
  for (int i = 0; i < 400; ++i) asked += "Rule " + std::to_string(i) + " is as said.\n";
  asked += "And never touch the API.";
  Conversation world;
  world.items.push_back(make_item({.id = {1}, .role = Role::user, .blocks = {Text{asked}}, .recall = {77}}));
  for (auto& item : script("assistant Fine\n" + turns(1, 12)).items) {
    Item copy = *item;
    copy.id.value += 100;
    world.items.push_back(make_item(std::move(copy)));
  }
  Budget budget;
  budget.window = count(world) + 1'000;
  budget.reserve = 1'000;
  auto request =
      summary_request(world, budget, {world.items[0]->id, world.items[40]->id}, "", {}, {.zone = Zone::pins});
  INFO(request.kept);
  REQUIRE(estimate(request.kept) < estimate(asked));
  CHECK(request.kept.starts_with("> Mend the parser. Rule 0 is as said."));
  CHECK(contains(request.kept, "r77"));
  CHECK(contains(request.kept, "And never touch the API.\n> "));
  CHECK(contains(request.kept, "> Please do step "));
  request.new_id = {1'000};
  const auto made = with_summary(request, "<summary>1. Begun</summary>");
  CHECK(contains(text_of(made), "And never touch the API."));
}

TEST_CASE("of messages that find no room, what they demand is kept before any other is kept whole") {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= 60; ++i) {
    const auto n = std::to_string(i);
    text += "user Step " + n +
            " of the long list that I gave you went well as far as I can see from here, and so on and on";
    text += i % 15 == 2 ? "; it took a while. Never touch module_" + n + "! It went on for hours.\n" : "\n";
    text += "assistant Done\n";
  }
  const auto world = script(text);
  Budget budget;
  budget.reserve = 0;
  budget.window = count(world);
  const auto request = summary_request(world, budget, {world.items[1]->id, world.items[110]->id}, "", {});
  CHECK(!contains(request.kept, "> Step 1 of"));  // it stays itself
  for (const char* n : {"2", "17", "32", "47"}) {
    CHECK(contains(request.kept, std::string("Never touch module_") + n + "!"));
  }
  CHECK(!contains(request.kept, "> Step 2 of"));
  CHECK(!contains(request.kept, "> Step 17 of"));
  CHECK(contains(request.kept, "> [and "));
  CHECK(contains(request.kept, "> Step 55 of"));
}

TEST_CASE(
    "an answer a little over its length loses its longest lines, not its headings, and is not paid for in "
    "vain") {
  Setup s;
  std::string body;
  for (int i = 1; i <= 9; ++i)
    for (int k = 0; k < 12; ++k)
      body += k ? "- the parser reads part number " + std::to_string(k) + " of file " + std::to_string(i) +
                      std::string(k * 3, '.') + "\n"
                : std::to_string(i) + ". Heading " + std::to_string(i) + ":\n";
  s.request.said.clear();
  s.request.target = estimate(body) * 9 / 10 + estimate(s.request.kept) + estimate(summary_opening(10));
  s.request.replaces = s.request.target * 3;
  const auto made = with_summary(s.request, "<summary>\n" + body + "</summary>");
  REQUIRE(rejected(made).empty());
  const auto text = text_of(made);
  CHECK(estimate(text) <= s.request.target);
  for (int i = 1; i <= 9; ++i) CHECK(contains(text, "Heading " + std::to_string(i)));
  s.request.target = estimate(body) / 2;
  CHECK(contains(rejected(with_summary(s.request, "<summary>\n" + body + "</summary>")), "over its target"));
}

TEST_CASE("summaryMaxChars caps what a summary tells once it is set") {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= 30; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n +
            " 400 tokens\nassistant answer " + n + "\n";
  }
  const auto conversation = test::script(text);
  Budget budget;
  budget.window = count(conversation);
  budget.reserve = 0;
  const std::string answer = "<summary>\n1. Request: " + std::string(3'000, 'x') + "\n</summary>";
  const auto told = [&] {
    const auto range = summary_range(conversation, budget);
    REQUIRE(range);
    auto request = summary_request(conversation, budget, *range, {}, {});
    request.new_id = {900};
    const auto made = with_summary(request, answer);
    REQUIRE(std::holds_alternative<Edits>(made));
    for (const auto& edit : std::get<Edits>(made))
      if (const auto* insert = std::get_if<Insert>(&edit.how))
        for (const auto& block : insert->item->blocks)
          if (const auto* summary = std::get_if<Summary>(&block))
            return std::string(told_part(summary->text));
    return std::string();
  };
  CHECK(told().size() > 3'000);
  budget.config.summary_max_chars = 400;
  CHECK(told().size() > 3'000);  // the figure of key points alone
  budget.config.cap_summary = true;
  CHECK(told().size() <= 404);
  CHECK(told().size() > 300);
}
