// What is told of a compaction before and after it, and what it may be told.
#include "agent/compactor/steering.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/compactor.h"
#include "agent/compactor/hand_edits.h"
#include "compression/plan/attachments.h"
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
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const ItemPtr& item) { return to_string(item->recall) == id; });
  static const ItemPtr none;
  return found == items.end() ? none : *found;
}

}  // namespace

TEST_CASE(
    "steering: the plan names its items with ids, kinds, tokens and reasons; its instructions reach the "
    "summary; then what "
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
  CHECK(std::any_of(intent.items.begin(), intent.items.end(), [](const PlannedItem& item) {
    return item.kind == "result" && item.subject.starts_with("Read ");
  }));
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
        if (const auto* text = std::get_if<Text>(&block);
            text && text->text.find("keep every w-number") != std::string::npos)
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

namespace {

std::vector<std::string> whole_results(const Rig& rig) {
  std::vector<std::string> ids;
  for (const auto& unit : hand_units(rig.context.conversation))
    if (unit.result && !unit.shortened) ids.push_back(unit.id);
  return ids;
}

void send_pictures(Rig& rig, int n) {
  for (int i = 0; i < n; ++i) {
    Item item{.role = Role::user};
    item.blocks.push_back(Image{"image/png", std::string(500, 'p')});
    item.blocks.push_back(Text{"picture " + std::to_string(i)});
    append(rig.agent, std::move(item));
  }
}

}  // namespace

TEST_CASE(
    "steering: what a person drops or folds is told first, may be refused, and leaves what a hook pins") {
  for (const auto what : {EditContext::What::drop, EditContext::What::fold}) {
    Rig rig(200'000);
    work(rig, 5);
    const auto ids = whole_results(rig);
    Listener listener;
    listener.answer.block = true;
    listener.answer.why = "not that";
    listener.join(rig);
    rig.compactor.edit(rig.context, {what, {ids[0], ids[1]}});
    REQUIRE(listener.before.size() == 1);
    CHECK(listener.before[0].cause == (what == EditContext::What::drop ? Cause::dropped : Cause::folded));
    CHECK(listener.before[0].after < listener.before[0].before);
    CHECK_FALSE(listener.before[0].items.empty());
    CHECK(whole_results(rig) == ids);
    CHECK(rig.seen<Notice>().back().text == "A hook refused the compaction: not that");
    listener.answer = {.pin = {ids[0]}};
    rig.compactor.edit(rig.context, {what, {ids[0], ids[1]}});
    CHECK(whole_results(rig) == std::vector{ids[0], ids[2], ids[3], ids[4]});
    CHECK(check(rig.context.conversation).empty());
    CHECK(listener.after.size() == 1);
  }
}

TEST_CASE("steering: a cut for a cold cache is told first, and may be refused") {
  Rig rig(200'000);
  auto& model = rig.context.model;
  model.provider = "anthropic";
  model.priced = model.caching = true;
  model.input = 3, model.output = 15, model.cache_read = 0.3, model.cache_write = 3.75;
  work(rig, 14, 1'500);
  const auto all = rig.context.estimated();
  rig.context.gauges.reported(all, {.input = 100, .cache_read = all}, model, rig.now());
  rig.clock += std::chrono::minutes(6);
  Listener listener;
  listener.answer.block = true;
  listener.join(rig);
  rig.compactor.make_room(rig.context, {});
  REQUIRE(listener.before.size() == 1);
  CHECK(listener.before[0].why.find("the provider's cache is cold") == 0);
  CHECK(whole_results(rig).size() == 14);
  listener.answer.block = false;
  rig.compactor.make_room(rig.context, {});
  CHECK(whole_results(rig).size() < 14);
  CHECK_FALSE(listener.after.empty());
}

TEST_CASE("steering: pictures that no request would take leave all the same, but not one that a hook pins") {
  Rig rig(200'000);
  rig.context.model.provider = "anthropic";
  send_pictures(rig, 120);
  Listener listener;
  listener.answer.block = true;
  const auto oldest = rig.context.conversation.items.front();
  listener.answer.pin = {to_string(oldest->recall)};
  listener.join(rig);
  rig.compactor.make_room(rig.context, {});
  REQUIRE_FALSE(listener.before.empty());
  CHECK(listener.before[0].items.size() >= 20);
  CHECK(attachments_of(rig.context.conversation).count <= 100);
  CHECK(std::holds_alternative<Image>(called(rig, to_string(oldest->recall))->blocks[0]));
}

TEST_CASE("a request that is refused for its pictures is made again with fewer, and the turn goes on") {
  Rig rig(200'000);
  rig.context.model.provider = "anthropic";
  send_pictures(rig, 9);
  const auto words = count(rig.context.conversation);
  test::Reply refused;
  refused.events.push_back(
      Failed{.kind = Failure::overflow, .message = "image dimensions exceed", .attachments = true});
  rig.script.then(refused).then(test::says("I see."));
  CHECK(rig.turn("What do you see?").how == TurnEnded::How::done);
  const auto requests = rig.script.requests();
  REQUIRE(requests.size() == 2);
  CHECK(attachments_of(requests[0].conversation).count == 9);
  CHECK(attachments_of(requests[1].conversation).count < 9);
  CHECK(attachments_of(requests[1].conversation).count >= 4);
  CHECK(count(rig.context.conversation) < words);
  CHECK(rig.bad_request() == "");
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(attachments_of(rig.context.conversation).count == 9);
}

TEST_CASE("a request that is too large in bytes is repaired by its documents, not by its words") {
  Rig rig(400'000);
  rig.context.model.provider = "anthropic";
  Item item{.role = Role::user};
  for (int i = 0; i < 3; ++i) item.blocks.push_back(Document{"application/pdf", std::string(1'600'000, 'd')});
  append(rig.agent, std::move(item));
  test::Reply refused;
  refused.events.push_back(
      Failed{.kind = Failure::overflow, .message = "request_too_large", .http_status = 413});
  rig.script.then(refused).then(test::says("Read."));
  CHECK(rig.turn("Read these.").how == TurnEnded::How::done);
  CHECK(attachments_of(rig.script.requests().back().conversation).bytes <= 3'200'000);
  CHECK(rig.store->compactions().back().strategy == "attachments");
}
