#include "compression/plan/plan.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "compression/plan/strategies.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

Conversation talk(int rounds, int tokens) {
  std::string text = "user go\n";
  for (int i = 1; i <= rounds; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Read f" + n + ".cpp\nresult " + n + " " + std::to_string(tokens) + " tokens\n";
    if (i % 5 == 0) text += "assistant step " + n + " done\nuser go on " + n + "\n";
  }
  return script(text);
}

// A window that the conversation fills to this share.
Budget filled(const Conversation& conversation, double share) {
  Budget budget;
  budget.reserve = 0;
  budget.window = static_cast<Tokens>(static_cast<double>(count(conversation)) / share);
  budget.config.strategy = "local";
  return budget;
}

Usage zones(Tokens system, Tokens compressible, Tokens protected_part) {
  Usage usage;
  usage.system = system;
  usage.compressible = compressible;
  usage.protected_part = protected_part;
  usage.used = system + compressible + protected_part;
  return usage;
}

// Questions and long answers, and hardly a tool result.
Conversation speech(int turns) {
  std::string text;
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + " about the design\nassistant Decision " + n + " was taken because ";
    for (int k = 0; k < 60; ++k) text += "the reason number " + std::to_string(k) + " speaks for it, ";
    text += "and so on\n";
  }
  return script(text);
}

}  // namespace

TEST_CASE("the new logic compares only what is compressible: its three cases") {
  Budget budget;
  budget.config.absolute_threshold = 10'000;
  CHECK_FALSE(compaction_due(zones(5'000, 4'000, 2'000), 10, budget));
  CHECK(compaction_due(zones(1'000, 25'000, 2'000), 53, budget));
  CHECK_FALSE(compaction_due(zones(8'000, 3'000, 1'000), 10, budget));
}

TEST_CASE("a compaction is due by the tier, by many messages, never below ten") {
  Budget budget{.window = 100'000, .reserve = 0};
  CHECK(compaction_due(zones(0, 80'000, 0), 10, budget));
  CHECK_FALSE(compaction_due(zones(0, 79'000, 0), 10, budget));
  CHECK_FALSE(compaction_due(zones(0, 80'000, 0), 9, budget));
  CHECK(compaction_due(zones(0, 20'000, 0), 501, budget));
  CHECK_FALSE(compaction_due(zones(0, 20'000, 0), 500, budget));
  CHECK_FALSE(compaction_due(zones(80'000, 1'000, 10'000), 20, budget));  // only a large system prompt
  Budget large{.window = 240'000, .reserve = 0};
  CHECK(compaction_due(zones(0, 150'000, 0), 10, large));
  CHECK_FALSE(compaction_due(zones(0, 149'999, 0), 10, large));
}

TEST_CASE("the tiers fire at 60, 80 and 95 per cent") {
  const auto conversation = talk(40, 500), words = speech(40);
  CHECK(plan(conversation, filled(conversation, 0.55)).tier == Tier::none);
  CHECK(plan(conversation, filled(conversation, 0.65)).tier == Tier::micro);
  CHECK(plan(conversation, filled(conversation, 0.85)).tier ==
        Tier::micro);  // results are enough: no words are summarised
  CHECK(plan(words, filled(words, 0.65)).tier == Tier::none);
  CHECK(plan(words, filled(words, 0.85)).tier == Tier::compact);
  CHECK(plan(conversation, filled(conversation, 0.97)).tier == Tier::truncate);
}

TEST_CASE("each plan brings the context under its mark, keeps the shape and says why") {
  const auto conversation = talk(40, 500);
  for (const double share : {0.65, 0.85, 0.97, 1.5}) {
    const auto budget = filled(conversation, share);
    const auto due = plan(conversation, budget);
    const auto after = tern::apply(conversation, due.edits);
    INFO(share << " " << due.why);
    CHECK(check(after).empty());
    CHECK(check_edit(conversation, after).empty());
    CHECK(usage(after, budget).share < 0.6);
    CHECK(due.why.find("% ") != std::string::npos);
    CHECK(due.edits.front().why.why.size() > 5);
  }
}

TEST_CASE("switched off means off; /compact works all the same") {
  const auto conversation = talk(40, 500);
  auto budget = filled(conversation, 0.97);
  budget.config.auto_compress = false;
  CHECK(plan(conversation, budget).tier == Tier::none);
  CHECK(plan(conversation, budget, {.overflow = true}).tier == Tier::none);
  CHECK(plan(conversation, budget, {.manual = true}).tier == Tier::compact);
  CHECK(plan(conversation, filled(conversation, 0.8), {.manual = true, .strategy = "tools"}).why ==
        "asked for; strategy tools");
}

TEST_CASE("an overflow is answered at once, whatever the estimate says") {
  const auto conversation = talk(40, 500);
  const auto budget = filled(conversation, 0.3);
  const auto due = plan(conversation, budget, {.overflow = true});
  CHECK(due.tier == Tier::truncate);
  CHECK(count(tern::apply(conversation, due.edits)) <= count(conversation) / 2);
}

TEST_CASE("the second tier never touches an answer, a message or a summary, however little results bring") {
  std::string text, essay;
  for (int i = 0; i < 150; ++i) essay += "then I looked at part_" + std::to_string(i) + " of the work; ";
  for (int i = 1; i <= 30; ++i) {
    const auto n = std::to_string(i);
    text += "user word for word " + n + "\nassistant " + essay + n + "\ncall " + n + " Bash make f" + n +
            "\nresult " + n + " 600 tokens\nassistant done " + n + "\n";
  }
  const auto conversation = script(text);
  const auto budget = filled(conversation, 0.65);
  const auto due = plan(conversation, budget, {.cache_cold = true});
  REQUIRE(due.tier == Tier::micro);
  CHECK(due.why.find("old results") != std::string::npos);
  const auto after = tern::apply(conversation, due.edits);
  CHECK(check(after).empty());
  CHECK(check_edit(conversation, after).empty());
  CHECK(usage(after, budget).share >
        budget.config.micro_low_water + 0.1);  // words alone are above its mark: it stops
  const auto keep = protected_items(conversation, budget.config);
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const auto& item = conversation.items[i];
    const bool words = std::holds_alternative<Text>(item->blocks[0]);
    if (keep[i] || words) CHECK(std::find(after.items.begin(), after.items.end(), item) != after.items.end());
  }
  const auto said = speech(40);
  CHECK(plan(said, filled(said, 0.7)).edits.empty());
}

TEST_CASE(
    "the newest results are spared while the older ones are worth a cut; where they fill the window, those "
    "that fit") {
  std::string text = "user go\n";
  for (int i = 1; i <= 6; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Bash make f" + n + "\nresult " + n + " 1000 tokens\n";
  }
  const auto conversation = script(text);
  auto budget = filled(conversation, 0.62);  // each about ten parts of a hundred
  const auto due = plan(conversation, budget);
  REQUIRE(due.tier == Tier::micro);
  const auto after = tern::apply(conversation, due.edits);
  CHECK(usage(after, budget).share < 0.35);
  const auto unchanged = [&](std::size_t i) { return after.items[i] == conversation.items[i]; };
  const auto last = conversation.items.size() - 1;
  CHECK(unchanged(last));
  CHECK(unchanged(last - 2));
  CHECK_FALSE(unchanged(last - 4));
  const auto more = script(text + "call 7 Bash make f7\nresult 7 1000 tokens\n");
  const auto first = tern::apply(more, plan(more, filled(more, 0.62)).edits);
  for (std::size_t i = 5; i < more.items.size(); ++i) CHECK(first.items[i] == more.items[i]);
  budget.window = count(conversation) / 5;  // one of them alone is more than its share
  budget.config.truncate_at = budget.config.compact_at = 9;
  const auto tight = tern::apply(conversation, plan(conversation, budget).edits);
  CHECK(tight.items.back() == conversation.items.back());
}

TEST_CASE(
    "where the person's own messages fill the window, the local summary takes the old stretch as a whole") {
  std::string text;
  for (int i = 1; i <= 120; ++i) {
    const auto n = std::to_string(i);
    text += "user Step " + n +
            ": then do what we spoke of, and mind the other thing as well as the one before it, please\n" +
            "assistant Done with " + n + ".\n";
  }
  const auto conversation = script(text);
  auto budget = filled(conversation, 0.85);
  const auto due = plan(conversation, budget);
  REQUIRE(due.tier == Tier::compact);
  const auto after = tern::apply(conversation, due.edits);
  CHECK(check_edit(conversation, after).empty());
  CHECK(count(after) <= compaction_goal(budget));
  auto left = test::to_script(after);
  for (const auto& item : after.items)
    if (const auto* summary = std::get_if<Summary>(&item->blocks[0])) left += summary->text;
  CHECK(left.find("Step 1: ") != std::string::npos);    // the first request
  CHECK(left.find("Step 120: ") != std::string::npos);  // and the newest
  CHECK(left.find(" older messages of the user: Recall finds each by a word of it]") != std::string::npos);
}

TEST_CASE("a thousand short messages become few again without a model, and that gains room or is not done") {
  std::string text;
  for (int i = 1; i <= 300; ++i)
    text += "user Now step " + std::to_string(i) +
            ", which is like the last\nassistant Done, on to the next of them\n";
  const auto conversation = script(text);
  REQUIRE(conversation.items.size() > 500);
  auto budget = filled(conversation, 0.7);
  const auto due = plan(conversation, budget);
  REQUIRE(due.tier == Tier::compact);
  const auto after = tern::apply(conversation, due.edits);
  CHECK(after.items.size() < 375);
  CHECK(count(conversation) - count(after) > count(conversation) / 50);
}

TEST_CASE("the hard tier takes lines before it takes the person's messages") {
  const auto conversation = talk(60, 400);
  auto budget = filled(conversation, 0.97);
  const auto due = plan(conversation, budget);
  REQUIRE(due.tier == Tier::truncate);
  const auto after = test::to_script(tern::apply(conversation, due.edits));
  for (const auto& item : conversation.items) {
    const auto* said = std::get_if<Text>(&item->blocks[0]);
    if (item->role == Role::user && said) CHECK(after.find(said->text) != std::string::npos);
  }
}

TEST_CASE("the hard tier leaves the protected zone alone while the rest has lines enough") {
  std::string text = "user go\n";
  for (int i = 1; i <= 25; ++i) {
    const auto n = std::to_string(i);
    text +=
        "call " + n + " Read f" + n + ".cpp\nresult " + n + (i <= 20 ? " 2000 tokens\n" : " 4400 tokens\n");
  }
  const auto conversation = script(text);
  const auto budget = filled(conversation, 0.97);
  const auto due = plan(conversation, budget);
  REQUIRE(due.tier == Tier::truncate);
  const auto after = tern::apply(conversation, due.edits);
  CHECK(check(after).empty());
  CHECK(usage(after, budget).share < 0.6);
  const auto keep = protected_items(conversation, budget.config);
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i])
      CHECK(std::find(after.items.begin(), after.items.end(), conversation.items[i]) != after.items.end());
}

TEST_CASE("who asks for a compaction gets one, however much room is left") {
  const auto conversation = talk(40, 500);
  for (const double share : {0.05, 0.2, 0.35, 0.5}) {
    auto budget = filled(conversation, share);
    for (const auto* name : {"sections", "local", "middle", "oldest", "truncate"}) {
      INFO(name << " at " << share);
      const auto due = plan(conversation, budget, {.manual = true, .strategy = name});
      CHECK((due.ask.has_value() || !due.edits.empty()));
      if (!due.ask) CHECK(saved(due.edits) > count(conversation) / 5);
    }
  }
}

TEST_CASE("a small gain does not break a warm cache") {
  std::string text = "user go " + std::string(12'000, 'x') + "\nassistant ok\n";
  for (int i = 1; i <= 12; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Read f\nresult " + n + " 100 tokens\n";
  }
  text += "user " + std::string(9'000, 'y') + "\n";
  std::string words;
  for (int i = 0; i < 6'000; ++i) words += "word ";
  const auto conversation = script(text + "assistant " + words);
  auto budget = filled(conversation, 0.65);
  CHECK(plan(conversation, budget).tier == Tier::none);
  CHECK(plan(conversation, budget, {.cache_cold = true}).tier == Tier::micro);
}

TEST_CASE("three refills in a row are thrash: stop and say what fills the context") {
  const auto conversation = talk(40, 500);
  const auto due = plan(conversation, filled(conversation, 0.85), {.refills_in_a_row = 3});
  CHECK(due.thrash);
  CHECK(due.tier == Tier::none);
  CHECK(due.why.find("Read f") != std::string::npos);
}

TEST_CASE("many short messages in a roomy window are no thrash") {
  const auto conversation = talk(200, 20);  // over 500 messages, which are due whatever their size
  const auto due = plan(conversation, filled(conversation, 0.5), {.refills_in_a_row = 3});
  CHECK_FALSE(due.thrash);
  CHECK(due.tier == Tier::none);
}

TEST_CASE("three failures open the breaker: no model is asked, unless by hand") {
  const auto conversation = speech(40);
  auto budget = filled(conversation, 0.85);
  budget.config.strategy = "sections";
  const auto due = plan(conversation, budget, {.failures_in_a_row = 3});
  CHECK_FALSE(due.ask.has_value());
  CHECK(due.why.find("failed 3 times") != std::string::npos);
}

TEST_CASE("a summary by a model is asked for, and its answer brings the context down") {
  const auto conversation = speech(40);
  auto budget = filled(conversation, 0.85);
  for (const auto* name : {"sections", "snapshot"}) {
    budget.config.strategy = name;
    const auto due = plan(conversation, budget, {.focus = "the lexer"});
    CHECK(due.tier == Tier::compact);
    CHECK(due.edits.empty());
    REQUIRE(due.ask.has_value());
    CHECK(due.ask->style ==
          (std::string_view(name) == "snapshot" ? SummaryStyle::snapshot : SummaryStyle::sections));
    CHECK(due.ask->instructions.find("the lexer") != std::string::npos);
    const auto answer =
        with_summary(*due.ask, "<summary>1. The user wants f1.cpp to f40.cpp read.</summary>");
    REQUIRE(std::holds_alternative<Edits>(answer));
    const auto after = tern::apply(conversation, std::get<Edits>(answer));
    CHECK(check(after).empty());
    CHECK(usage(after, budget).share < 0.6);
  }
}

TEST_CASE("a range picked by hand is what is asked about") {
  const auto conversation = talk(40, 500);
  auto budget = filled(conversation, 0.3);
  budget.config.strategy = "sections";
  const auto due = plan(conversation, budget, {.manual = true, .range = ItemRange{ItemId{1}, ItemId{13}}});
  REQUIRE(due.ask.has_value());
  CHECK(due.ask->covers.first == ItemId{1});
  CHECK(due.ask->covers.last >= ItemId{13});
}

TEST_CASE("a range open at an end reaches to the end") {
  const auto conversation = talk(40, 500);
  auto budget = filled(conversation, 0.3);
  budget.config.strategy = "sections";
  const auto on = plan(conversation, budget, {.manual = true, .range = ItemRange{ItemId{13}, ItemId{~0ull}}});
  REQUIRE(on.ask.has_value());
  CHECK(on.ask->covers.first <= ItemId{13});
  CHECK(on.ask->covers.last == conversation.items.back()->id);
  const auto up_to = plan(conversation, budget, {.manual = true, .range = ItemRange{ItemId{0}, ItemId{13}}});
  REQUIRE(up_to.ask.has_value());
  CHECK(up_to.ask->covers.first == ItemId{1});
  CHECK(up_to.ask->covers.last < ItemId{17});
}

TEST_CASE("a range picked by hand is all that the local summary touches") {
  std::string text;
  for (int i = 1; i <= 40; ++i) {
    const auto n = std::to_string(i);
    text +=
        "user go on " + n + "\ncall " + n + " Read f" + n + "\nresult " + n + " 500 tokens\nassistant ok\n";
  }
  const auto conversation = script(text);
  auto budget = filled(conversation, 0.3);
  const auto due = plan(conversation, budget,
                        {.manual = true, .strategy = "local", .range = ItemRange{ItemId{41}, ItemId{100}}});
  REQUIRE_FALSE(due.edits.empty());
  for (const auto& edit : due.edits) {
    CHECK(edit.target >= ItemId{41});
    CHECK(edit.target <= ItemId{102});
  }
  const auto after = tern::apply(conversation, due.edits);
  CHECK(check(after).empty());
  CHECK(count(after) < count(conversation));
}

TEST_CASE("a range may begin with a summary, whose id is a late one") {
  std::string text = "summary 1-9 " + std::string(30'000, 'x') + "\n";
  for (int i = 1; i <= 40; ++i) {
    const auto n = std::to_string(i);
    text += "user go on " + n + "\ncall " + n + " Read f\nresult " + n + " 300 tokens\nassistant ok\n";
  }
  auto conversation = script(text);
  Item first = *conversation.items[0];
  first.id = ItemId{9'000};
  conversation.items[0] = make_item(std::move(first));
  auto budget = filled(conversation, 0.85);
  budget.config.strategy = "sections";
  const auto due =
      plan(conversation, budget, {.manual = true, .range = ItemRange{ItemId{9'000}, ItemId{20}}});
  REQUIRE(due.ask.has_value());
  CHECK(due.ask->source.items.front()->id == ItemId{9'000});
}

TEST_CASE("the sliding window of the config") {
  const auto conversation = talk(300, 20);
  auto budget = filled(conversation, 0.3);
  budget.config.trigger_messages = 5'000;
  CHECK(plan(conversation, budget).tier == Tier::none);
  budget.config.sliding_window = true;
  const auto due = plan(conversation, budget);
  CHECK(due.tier == Tier::compact);
  CHECK(due.why == "more than 50 turns");
  const auto after = tern::apply(conversation, due.edits);
  CHECK(check(after).empty());
  CHECK(check_edit(conversation, after).empty());
  std::string summaries;
  std::size_t turns = 0;
  for (const auto& item : after.items) {
    if (const auto* summary = std::get_if<Summary>(&item->blocks[0])) summaries += summary->text;
    turns += item->role == Role::user && std::holds_alternative<Text>(item->blocks[0]);
  }
  CHECK(turns == 10);
  INFO(summaries);
  for (const char* part :
       {"> go\n", "> go on 100\n", "Compacted 612 messages by rules: 51 requests, ", "Frequency: Read 255×"})
    CHECK(summaries.find(part) != std::string::npos);
}

TEST_CASE("what slides out of the window later joins the summary of what slid out before") {
  auto conversation = talk(300, 20);
  auto budget = filled(conversation, 0.3);
  budget.config.trigger_messages = 5'000;
  budget.config.sliding_window = true;
  ItemId next{100'000};
  const auto slid = [&] {
    auto due = plan(conversation, budget);
    REQUIRE_FALSE(due.edits.empty());
    give_ids(due.edits, next);
    conversation = tern::apply(conversation, due.edits);
    return conversation.items[0];
  };
  const auto first = slid();
  REQUIRE(std::holds_alternative<Summary>(first->blocks[0]));
  for (const auto& item : talk(250, 20).items) {
    Item copy = *item;
    copy.id.value += 200'000;
    conversation.items.push_back(std::make_shared<const Item>(std::move(copy)));
  }
  const auto second = slid();
  REQUIRE(std::holds_alternative<Summary>(second->blocks[0]));
  CHECK_FALSE(std::holds_alternative<Summary>(conversation.items[1]->blocks[0]));
  CHECK(std::get<Summary>(second->blocks[0]).text.find("> go on 100\n") !=
        std::string::npos);  // of the first
  CHECK(check(conversation).empty());
}

TEST_CASE("a model's optimum moves the marks, not the hard limit") {
  const auto conversation = talk(40, 500);
  auto budget = filled(conversation, 0.5);
  CHECK(plan(conversation, budget).tier == Tier::none);
  budget.optimum = budget.window * 55 / 100;
  CHECK(plan(conversation, budget).tier == Tier::micro);
  CHECK(plan(speech(40), filled(speech(40), 0.5)).tier == Tier::none);
}

TEST_CASE("a strategy that chooses between two ways says why it took one") {
  auto budget = filled(talk(20, 100), 0.5);
  budget.provider = "openai", budget.model = "gpt-4o";
  const auto made = plan(talk(20, 100), budget, {.manual = true, .strategy = "hybrid"});
  INFO(made.why);
  CHECK(made.why.starts_with("asked for; strategy hybrid; model: "));
  CHECK(made.why.find("features: ") != std::string::npos);
}

TEST_CASE("every strategy is a row with a name and a word of help") {
  for (const auto* strategy : strategies()) {
    CHECK(find_strategy(strategy->name) == strategy);
    CHECK(strategy->help.size() > 10);
  }
  CHECK(find_strategy("nonsense") == nullptr);
  for (const auto* name : {"local", "middle", "oldest", "hybrid", "tools", "truncate"})
    CHECK(find_strategy(name));
}
