// What is told of a compaction before and after it, and what it may be told.
#include "agent/compactor/steering.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/compactor.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::Rig;
using test::with_summaries;
using test::work;

namespace {

struct Listener {
  std::vector<CompactionIntent> before;
  std::vector<CompactionOutcome> after;
  CompactionSteering answer;

  void join(Rig& rig) {
    rig.compactor.set_steering(
        [this](const CompactionIntent& intent) {
          before.push_back(intent);
          return answer;
        },
        [this](const CompactionOutcome& outcome) { after.push_back(outcome); });
  }
};

const ItemPtr& called(const Rig& rig, const std::string& id) {
  const auto& items = rig.context.conversation.items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const ItemPtr& item) { return to_string(item->recall) == id; });
  static const ItemPtr none;
  return found == items.end() ? none : *found;
}

}  // namespace

TEST_CASE(
    "steering: the plan names its items with ids, kinds, tokens and reasons; its instructions reach the summary; then what "
    "stayed") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 10);
  Listener listener;
  listener.answer.instructions = "keep every w-number";
  listener.join(rig);
  const auto used = used_of(rig.context);
  rig.compactor.compact(rig.context, Compact{.focus = "names"}, {});
  REQUIRE(listener.before.size() == 1);
  const auto& intent = listener.before[0];
  CHECK(intent.tier == Tier::compact);
  CHECK(intent.cause == Cause::asked);
  CHECK(intent.focus == "names");
  CHECK(intent.before == used);
  CHECK(intent.after < used);
  REQUIRE_FALSE(intent.items.empty());
  for (const auto& item : intent.items) {
    CHECK(item.id.starts_with("r"));
    CHECK(item.tokens > 0);
    CHECK_FALSE(item.reason.empty());
  }
  CHECK(std::any_of(intent.items.begin(), intent.items.end(),
                    [](const PlannedItem& item) { return item.kind == "result" && item.subject.starts_with("Read "); }));
  REQUIRE(listener.after.size() == 1);
  const auto& outcome = listener.after[0];
  CHECK(outcome.summary.find("go on with the work") != std::string::npos);
  CHECK(called(rig, outcome.summary_id));
  CHECK_FALSE(outcome.recall_ids.empty());
  for (const auto& id : outcome.kept) CHECK(called(rig, id));
  for (const auto& id : outcome.recall_ids) CHECK(rig.store->text(parse_recall_id(id)));
  CHECK(outcome.after < outcome.before);
  const auto requests = rig.script.requests();
  const auto told = std::any_of(requests.begin(), requests.end(), [](const Request& request) {
    if (request.may_call_tools) return false;
    for (const auto& item : request.conversation.items)
      for (const auto& block : item->blocks)
        if (const auto* text = std::get_if<Text>(&block); text && text->text.find("keep every w-number") != std::string::npos)
          return true;
    return false;
  });
  CHECK(told);
}

TEST_CASE("steering: a refused compaction does not happen, and is not asked for at every request") {
  Rig rig(60'000);
  with_summaries(rig);
  Listener listener;
  listener.answer = {.block = true, .why = "not now"};
  listener.join(rig);
  work(rig, 10);
  const auto before = rig.context.conversation.items;
  rig.compactor.compact(rig.context, Compact{}, {});
  CHECK(rig.context.conversation.items == before);
  CHECK(listener.after.empty());
  CHECK(std::any_of(rig.events.begin(), rig.events.end(), [](const Event& event) {
    const auto* notice = std::get_if<Notice>(&event);
    return notice && notice->text == "A hook refused the compaction: not now";
  }));
  const auto asked = listener.before.size();
  rig.compactor.make_room(rig.context, {});
  rig.compactor.make_room(rig.context, {});
  CHECK(listener.before.size() <= asked + 1);
}

TEST_CASE("steering: what cannot be refused is told all the same: the context never outgrows its window") {
  Rig rig(30'000);
  rig.script.summaries([](const Request&) { return test::fails(Failure::server, "down"); });
  Listener listener;
  listener.answer.block = true;
  listener.join(rig);
  work(rig, 14);
  CHECK(test::fullest(rig) <= 1.0);
  CHECK(std::any_of(listener.before.begin(), listener.before.end(),
                    [](const CompactionIntent& intent) { return intent.tier == Tier::truncate; }));
}

TEST_CASE("steering: pinned items stay byte for byte, dropped ones leave with their pair") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 10);
  rig.context.config.pin_budget = 20'000;
  Listener look;
  look.answer.block = true;
  look.join(rig);
  rig.compactor.compact(rig.context, Compact{}, {});
  REQUIRE(look.before.size() == 1);
  std::vector<std::string> results;
  for (const auto& item : look.before[0].items)
    if (item.kind == "result") results.push_back(item.id);
  REQUIRE(results.size() >= 2);
  Listener steer;
  steer.answer = {.pin = {results[0]}, .drop = {results[1], "r99999"}};
  steer.join(rig);
  const auto blocks = called(rig, results[0])->blocks;
  rig.compactor.compact(rig.context, Compact{}, {});
  REQUIRE(called(rig, results[0]));
  CHECK(called(rig, results[0])->blocks == blocks);
  CHECK(called(rig, results[0])->pinned);
  CHECK_FALSE(called(rig, results[1]));
  CHECK(check(rig.context.conversation).empty());
}

TEST_CASE("steering: a tier that acts by itself is told with its cause") {
  Rig rig(60'000);
  with_summaries(rig);
  Listener listener;
  listener.join(rig);
  work(rig, 30);
  REQUIRE_FALSE(listener.before.empty());
  CHECK(listener.before[0].cause == Cause::automatic);
  CHECK_FALSE(listener.after.empty());
  CHECK(check(rig.context.conversation).empty());
}
