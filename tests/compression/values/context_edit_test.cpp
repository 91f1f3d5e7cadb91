#include "compression/values/context_edit.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

const char* const edit_world = R"(
  system 1 Be brief
  user 2 Fix it
  call 1 Read a.cpp
  result 1 = one two three
  assistant 5 Done
)";

Edit replace(std::uint64_t id, std::size_t block, std::string text) {
  ToolResult result;
  result.call_id = "c1";
  result.text = std::move(text);
  return {ItemId{id}, Replace{block, std::move(result)}, {Tier::micro, "test", "because"}, 1};
}
Edit drop(std::uint64_t id, Tier tier = Tier::compact) {
  return {ItemId{id}, Drop{}, {tier, "test", "because"}, 1};
}
ItemPtr said(std::uint64_t id, std::string text) {
  Item item;
  item.id = ItemId{id};
  item.blocks = {Text{std::move(text)}};
  return make_item(std::move(item));
}
Edit insert(std::uint64_t before, std::uint64_t id, std::string text) {
  return {ItemId{before}, Insert{said(id, std::move(text))}, {Tier::compact, "test", "because"}, 0};
}
Edit pin(std::uint64_t id, bool on) { return {ItemId{id}, Pin{on}, {}, 0}; }

}  // namespace

TEST_CASE("replace changes one block and counts the item again") {
  const auto before = script(edit_world);
  const auto after = tern::apply(before, {replace(4, 0, "short")});
  CHECK(to_script(after) ==
        "system 1 Be brief\nuser 2 Fix it\ncall 1 Read a.cpp\nresult 1 = short\nassistant 5 Done\n");
  CHECK(after.items[3]->tokens == estimate(*after.items[3]));
  CHECK(after.items[2] == before.items[2]);  // untouched items are shared
  CHECK(to_script(before) == to_script(script(edit_world)));
}

TEST_CASE("of two replacements of one block the last one stands") {
  const auto after = tern::apply(script(edit_world), {replace(4, 0, "first"), replace(4, 0, "second")});
  CHECK(std::get<ToolResult>(after.items[3]->blocks[0]).text == "second");
}

TEST_CASE("drop and insert keep the order of the others") {
  const auto after =
      tern::apply(script(edit_world), {insert(5, 9, "sum"), drop(3), drop(4), insert(0, 10, "end")});
  CHECK(to_script(after) == "system 1 Be brief\nuser 2 Fix it\nuser 9 sum\nassistant 5 Done\nuser 10 end\n");
}

TEST_CASE("inserts before one target stand in the order of the edits, also when the target leaves") {
  const auto after = tern::apply(script(edit_world), {insert(5, 8, "a"), insert(5, 9, "b"), drop(5)});
  CHECK(to_script(after).ends_with("user 8 a\nuser 9 b\n"));
}

TEST_CASE("an edit may speak of what an earlier one inserted") {
  const auto after = tern::apply(script(edit_world), {insert(5, 8, "a"), insert(8, 9, "b"), drop(8)});
  CHECK(to_script(after).find("user 9 b\nassistant 5") != std::string::npos);
}

TEST_CASE("edits whose target is gone are skipped, the rest is applied") {
  const auto after = tern::apply(script(edit_world),
                                 {drop(77), replace(4, 5, "no such block"), insert(77, 9, "x"), drop(5)});
  CHECK(to_script(after) ==
        "system 1 Be brief\nuser 2 Fix it\ncall 1 Read a.cpp\nresult 1 = one two three\n");
}

TEST_CASE("the system prompt is never touched, a pin only by the last resort") {
  const auto before = tern::apply(script(edit_world), {pin(5, true)});
  CHECK(to_script(tern::apply(before, {drop(1), drop(5)})) == to_script(before));
  CHECK(tern::apply(before, {drop(5, Tier::truncate)}).items.size() == 4);
  CHECK(to_script(tern::apply(before, {pin(5, false)})) == to_script(script(edit_world)));
}

TEST_CASE("the same insert twice is one item") {
  const auto after = tern::apply(script(edit_world), {insert(5, 9, "sum"), insert(5, 9, "sum")});
  CHECK(after.items.size() == 6);
}

TEST_CASE("undo is the log without the batch, and later items stay") {
  std::vector<LogEntry> log;
  for (const auto& item : script(edit_world).items) log.emplace_back(item);
  const auto whole = replay(log);
  log.emplace_back(Batch{1, {replace(4, 0, "stub")}});
  log.emplace_back(Batch{2, {insert(5, 9, "sum"), drop(3), drop(4)}});
  log.emplace_back(said(10, "next question"));

  CHECK(to_script(replay(log)).ends_with("user 9 sum\nassistant 5 Done\nuser 10 next question\n"));
  const std::uint64_t second[] = {2}, both[] = {1, 2};
  CHECK(to_script(replay(log, second)).find("result 1 = stub") != std::string::npos);
  CHECK(to_script(replay(log, both)) == to_script(whole) + "user 10 next question\n");
}

TEST_CASE("what a second step says of an insert of the first changes that insert, as one batch without ids") {
  const auto before = script(edit_world);
  const Edits first = {drop(3), drop(4), insert(5, 0, "summary"), insert(5, 0, "second")};
  const auto edits = followed(before, first, [](const Conversation& rest) {
    REQUIRE(rest.items.size() == 5);
    Edits then = {drop(rest.items[3]->id.value), drop(2)};
    then.push_back({rest.items[2]->id, Replace{0, Text{"shorter"}}, {}, 1});
    return then;
  });
  CHECK(to_script(tern::apply(before, edits)) == "system 1 Be brief\nuser 0 shorter\nassistant 5 Done\n");
  for (const auto& edit : edits) CHECK(edit.target != ItemId{});
}

TEST_CASE("saved is the sum of what the edits say") {
  CHECK(saved({drop(1), drop(2), insert(3, 4, "x")}) == 2);
}
