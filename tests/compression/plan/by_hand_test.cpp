// Whatever a person takes out by hand, what is left can be sent.
#include "compression/plan/by_hand.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/random_conversation.h"
#include "tests/support/script.h"

using namespace tern;

namespace {

std::vector<HandUnit> chosen_units(const Conversation& conversation, std::vector<std::string> ids) {
  auto units = hand_units(conversation);
  std::erase_if(
      units, [&](const HandUnit& unit) { return std::find(ids.begin(), ids.end(), unit.id) == ids.end(); });
  return units;
}

std::string dropped_edits(const Conversation& conversation, std::vector<std::string> ids) {
  return test::to_script(drop_by_hand(conversation, chosen_units(conversation, std::move(ids))));
}

const auto spoken = test::script(R"(
system be brief
user fix it
assistant I look.
call 1 Read a.cpp
call 2 Read b.cpp
result 1 50 lines
result 2 50 lines
call 3 Bash make
result 3 20 lines
assistant done
user and now
assistant nothing
)");

}  // namespace

TEST_CASE("a result leaves with its call where its message is nothing else") {
  CHECK(dropped_edits(spoken, {"r3"}) == "drop 5\ndrop 6\n");
}

TEST_CASE("where a message says more, a line stays for each result that was dropped") {
  const auto after = tern::apply(spoken, drop_by_hand(spoken, chosen_units(spoken, {"r1"})));
  const auto text = test::to_script(after);
  CHECK(text.find("result 1 = [dropped by the user · recall r1]") != std::string::npos);
  CHECK(text.find("I look.") != std::string::npos);
  CHECK(check(after).empty());
  CHECK(count(after) < count(spoken));
}

TEST_CASE("between two answers the person's words leave a line") {
  const auto after = tern::apply(spoken, drop_by_hand(spoken, chosen_units(spoken, {"m8"})));
  INFO(test::to_script(after));
  CHECK(check(after).empty());
}

TEST_CASE("any choice of items leaves a conversation that can be sent and is no larger") {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto conversation = repair(test::random_conversation(seed));
    auto units = hand_units(conversation);
    std::erase_if(units, [&](const HandUnit& unit) { return unit.pinned || random() % 3 != 0; });
    for (const auto& edits : {drop_by_hand(conversation, units), fold_by_hand(conversation, units)}) {
      const auto after = tern::apply(conversation, edits);
      INFO(seed << '\n' << test::to_script(edits));
      CHECK(check(after).empty());
      CHECK(check_edit(conversation, after).empty());
    }
  }
}
