#include "compression/plan/removal.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "compression/plan/prune_tools.h"
#include "compression/plan/strategies.h"
#include "compression/values/check.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

Conversation talk(int turns) {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n +
            " 400 tokens\nassistant answer " + n + "\n";
  }
  return script(text);
}

// Which questions are still there.
std::string questions(const Conversation& conversation) {
  std::string found;
  for (const auto& item : conversation.items) {
    const auto* text = std::get_if<Text>(&item->blocks[0]);
    if (text && text->text.starts_with("question ")) found += text->text.substr(9) + " ";
  }
  return found;
}

Conversation removed(const Conversation& conversation, Removal how, Tokens target) {
  auto after = tern::apply(conversation, remove(conversation, {}, how, target));
  CHECK(check(after).empty());
  CHECK(check_edit(conversation, after).empty());
  return after;
}

const char* const small_world = R"(
  system 1 Be brief
  user 2 one
  call 1 Read a
  result 1 = x
  assistant 5 done
  user 6 two
  user 7 three
  assistant 8 ok)";

Outline outline_of(const Conversation& conversation) {
  return outline(conversation, std::vector<bool>(conversation.items.size(), false));
}

}  // namespace

TEST_CASE("a conversation is turns of rounds") {
  const auto parts = outline_of(script(small_world));
  REQUIRE(parts.turns.size() == 3);
  REQUIRE(parts.rounds.size() == 3);
  CHECK(parts.rounds[0].first == 2);
  CHECK(parts.rounds[0].last == 3);
  CHECK(parts.rounds[0].calls);
  CHECK(parts.rounds[1].first == 4);
  CHECK_FALSE(parts.rounds[1].calls);
  CHECK(parts.rounds[2].turn == 2);
  CHECK(parts.turns[1].first_round == parts.turns[1].end_round);
}

TEST_CASE("a user message leaves with its last round, unless protected") {
  const auto conversation = script(small_world);
  auto parts = outline_of(conversation);
  const auto shown = [&](Taker taker) {
    return to_script(tern::apply(conversation, std::move(taker).edits()));
  };
  Taker taker(conversation, parts, {});
  taker.take(0);
  CHECK(shown(taker) ==
        "system 1 Be brief\nuser 2 one\nassistant 5 done\nuser 6 two\nuser 7 three\nassistant 8 ok\n");
  taker.take(1);
  CHECK(shown(taker) == "system 1 Be brief\nuser 6 two\nuser 7 three\nassistant 8 ok\n");
  parts.turns[0].keep = true;
  parts.rounds[2].keep = true;
  Taker careful(conversation, parts, {});
  for (std::size_t i = 0; i < 3; ++i) careful.take_turn(i);
  CHECK(shown(careful) == "system 1 Be brief\nuser 2 one\nuser 7 three\nassistant 8 ok\n");
}

TEST_CASE("oldest removal keeps the first request and the newest") {
  const auto before = talk(20);
  const auto after = removed(before, Removal::oldest, count(before) / 2);
  CHECK(count(after) <= count(before) / 2);
  CHECK(questions(after).starts_with("1 "));
  CHECK(questions(after).ends_with("12 13 14 15 16 17 18 19 20 "));
  CHECK(questions(after).find(" 9 ") == std::string::npos);
}

TEST_CASE("middle removal keeps both ends") {
  const auto before = talk(20);
  const auto after = removed(before, Removal::middle, count(before) / 2);
  CHECK(count(after) <= count(before) / 2);
  CHECK(questions(after).starts_with("1 2 3 4 "));
  CHECK(questions(after).ends_with("17 18 19 20 "));
  CHECK(questions(after).find("10 ") == std::string::npos);
}

TEST_CASE("removal stops at what is protected") {
  const auto before = talk(20);
  for (const auto how : {Removal::middle, Removal::oldest}) {
    const auto after = removed(before, how, 0);
    CHECK(questions(after).starts_with("1 "));
    CHECK(questions(after).ends_with("18 19 20 "));
    CHECK(count(after) < 2'500);
  }
}

TEST_CASE("targetRatio says what the removal strategies keep") {
  const auto conversation = talk(40);
  Budget budget;
  budget.window = count(conversation);
  budget.reserve = 0;
  for (const double ratio : {0.3, 0.5, 0.7}) {
    budget.config.target_ratio = ratio;
    for (const char* name : {"middle", "oldest", "hybrid"}) {
      const auto left = count(tern::apply(conversation, find_strategy(name)->propose(conversation, budget)));
      const double share =
          static_cast<double>(left) / static_cast<double>(budget.window);  // above the 80 % where it is due
      INFO(name << " " << ratio);
      CHECK(share <= 0.8 * ratio + 0.001);
      CHECK(share > 0.8 * ratio - 0.05);
    }
  }
}

TEST_CASE("nothing is removed when the target is met") {
  const auto before = talk(5);
  CHECK(remove(before, {}, Removal::oldest, count(before)).empty());
}

namespace {

const char* const tool_world = R"(
  system 1 s
  user 2 one
  call 1 Read a
  call 2 Read b
  result 1 = x
  result 2 = y
  assistant 5 done
  user 6 two
  call 3 Bash make
  result 3 = ok
  call 4 Bash test
  error 4 = failed
  assistant 11 done)";

std::string pruned(int keep) {
  CompressionConfig config;
  config.keep_last_tool_rounds = keep;
  const auto after = tern::apply(script(tool_world), prune_tools(script(tool_world), config).edits);
  CHECK(check(after).empty());
  return to_script(after);
}

}  // namespace

TEST_CASE("the newest tool round stays, talk stays") {
  CHECK(pruned(1) ==
        "system 1 s\nuser 2 one\nassistant 5 done\nuser 6 two\ncall 4 Bash test\nerror 4 = failed\nassistant "
        "11 done\n");
}

TEST_CASE("zero takes all tool rounds, a large number none") {
  CHECK(pruned(0) == "system 1 s\nuser 2 one\nassistant 5 done\nuser 6 two\nassistant 11 done\n");
  CHECK(pruned(9) == to_script(script(tool_world)));
}

TEST_CASE("statistics of pruning count messages") {
  const auto stats = prune_tools(script(tool_world), {}).stats;
  CHECK(stats.original == 11);
  CHECK(stats.removed == 4);
  CHECK(stats.compressed == 7);
  CHECK(stats.ratio == Catch::Approx(7.0 / 11));
  CHECK(prune_tools({}, {}).stats.ratio == 1.0);
}

TEST_CASE("a pinned round is not pruned") {
  const auto conversation = script("user 1 a\ncall 1 Read a\nresult 1 = x\npin\nassistant 4 b");
  CompressionConfig config;
  config.keep_last_tool_rounds = 0;
  CHECK(prune_tools(conversation, config).edits.empty());
}
