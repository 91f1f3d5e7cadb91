#include "compression/values/range.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "compression/plan/plan.h"
#include "compression/plan/strategies.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/random_conversation.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

Conversation talk(int turns) {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user go on " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n +
            " 500 tokens\nassistant done " + n + "\n";
  }
  return script(text);
}

Budget roomy(const Conversation& conversation) {
  Budget budget;
  budget.reserve = 0;
  budget.window = count(conversation) * 3;
  return budget;
}

const ItemRange picked{ItemId{42}, ItemId{101}};  // turns 11 to 25 of talk(40)

}  // namespace

TEST_CASE("every strategy without a model is held to a range picked by hand") {
  const auto conversation = talk(40);
  for (const auto* name : {"middle", "oldest", "hybrid", "tools", "microcompact", "truncate", "local"}) {
    INFO(name);
    const auto due =
        plan(conversation, roomy(conversation), {.manual = true, .strategy = name, .range = picked});
    REQUIRE_FALSE(due.edits.empty());
    for (const auto& edit : due.edits) {
      CHECK(edit.target >= picked.first);
      CHECK(edit.target.value <= picked.last.value + 1);  // a fold goes in before what follows
    }
    const auto after = tern::apply(conversation, due.edits);
    CHECK(check(after).empty());
    CHECK(check_edit(conversation, after).empty());
    CHECK(count(after) < count(conversation));
  }
}

TEST_CASE("a range comes down to its share, not to that of the window") {
  const auto conversation = talk(40);
  const auto inside = 15 * (count(conversation) / 40);
  for (const auto* name : {"middle", "oldest", "hybrid", "truncate"}) {
    INFO(name);
    const auto due =
        plan(conversation, roomy(conversation), {.manual = true, .strategy = name, .range = picked});
    const auto gone = saved(due.edits);
    CHECK(gone >= inside / 2 - 600);
    CHECK(gone <= inside / 2 + 1'200);
  }
}

TEST_CASE("the oldest of a range leave first, its middle from the middle") {
  const auto conversation = talk(40);
  const auto first_gone = [&](const char* name) {
    const auto due =
        plan(conversation, roomy(conversation), {.manual = true, .strategy = name, .range = picked});
    return due.edits.empty() ? 0 : due.edits.front().target.value;
  };
  CHECK(first_gone("oldest") == 42);
  CHECK(first_gone("middle") > 42);
}

TEST_CASE("an empty or foreign range changes nothing") {
  const auto conversation = talk(4);
  const ItemRange nowhere{ItemId{900}, ItemId{950}};
  CHECK(stretch_of(conversation.items, nowhere).end == 0);
  for (const auto* strategy : strategies())
    CHECK(propose_within(*strategy, conversation, roomy(conversation), nowhere).empty());
}

TEST_CASE("whatever the conversation, range and strategy, what lies outside stays as it is") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto conversation = test::random_conversation(seed);
    const auto& items = conversation.items;
    const ItemRange range{items[items.size() / 3]->id, items[items.size() * 3 / 4]->id};
    const auto [first, end] = stretch_of(items, range);
    for (const auto* strategy : strategies()) {
      INFO("seed " << seed << ", " << strategy->name);
      const auto after =
          tern::apply(conversation, propose_within(*strategy, conversation, roomy(conversation), range));
      CHECK(check(after).empty());
      CHECK(count(after) <= count(conversation));
      const auto stands = [&](const ItemPtr& item) {
        return std::find(after.items.begin(), after.items.end(), item) != after.items.end();
      };
      for (std::size_t i = 0; i < items.size(); ++i)
        if (i < first || i >= end) CHECK(stands(items[i]));
    }
  }
}
