// What is kept of a compaction beside its edits: whom it covers, what it told, who waited, and why it was
// made.
#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/compactor.h"
#include "agent/store/compaction_text.h"
#include "agent/store/export_summaries.h"
#include "compression/reading/boundary.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::phases;
using test::prose;
using test::Rig;
using test::says;
using test::with_summaries;
using test::work;

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

constexpr ItemRange everything{{1}, {1'000'000}};

// Answers when told to, so that somebody waits for it.
struct Slow {
  std::atomic<bool> go{false};
  test::Reply reply(test::Reply with) {
    with.before = [this](const Request&) {
      while (!go) std::this_thread::yield();
    };
    return with;
  }
};

std::string order_of(const Rig& rig) {
  std::string order;
  for (const auto& event : rig.seen<Compaction>()) {
    const auto name = event.phase == CompactionPhase::needed        ? "needed "
                      : event.phase == CompactionPhase::started     ? "started "
                      : event.phase == CompactionPhase::draft_ready ? "draft_ready "
                      : event.phase == CompactionPhase::completed   ? "completed "
                                                                    : "";
    order += name;
  }
  return order;
}

// Answers, so that old results alone cannot make the room.
void talk_until(Rig& rig, double share) {
  for (unsigned i = 0; fill_share(rig.context) < share; ++i) {
    for (const Role role : {Role::user, Role::assistant}) {
      Item item;
      item.role = role;
      item.blocks.push_back(Text{role == Role::user ? "go on " + std::to_string(i) : prose(i, 120)});
      append(rig.agent, std::move(item));
    }
  }
}

std::string asked_of(const Request& request) {
  return std::get<Text>(request.conversation.items.back()->blocks.back()).text;
}

}  // namespace

TEST_CASE("a summary of an earlier summary covers that one's turns, too") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  rig.compactor.compact(rig.context, {}, {});
  work(rig, 3, 300, 12);
  const auto before = rig.context.conversation;
  rig.compactor.compact(rig.context, {.focus = {}, .strategy = {}, .preview = false, .range = everything},
                        {});
  const auto record = rig.store->compactions().back();
  REQUIRE(record.model == "model");
  CHECK(record.first_turn == 1);
  CHECK(record.last_turn >= 12);
  CHECK(record.messages_before == before.items.size());
  CHECK(record.messages_after == rig.context.conversation.items.size());
  CHECK(record.messages_after < record.messages_before);
}

TEST_CASE("the record names the boundary it was cut at, and the score of that place") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  const auto before = rig.context.conversation;
  rig.compactor.compact(rig.context, {}, {});
  const auto record = rig.store->compactions().back();
  REQUIRE(record.boundary > 0);
  REQUIRE(record.boundary < before.items.size());
  CHECK(record.boundary_score == boundary_score(before, record.boundary));
  const auto json = summaries_json(rig.store->summaries(), 500);
  CHECK(contains(json, "\"boundary\": {\n      \"index\": " + std::to_string(record.boundary)));
  CHECK(contains(json, "\"messagesBefore\": " + std::to_string(before.items.size())));
}

TEST_CASE("a draft somebody waited for is a pause, and its events come in order") {
  Rig rig(32'000);
  Slow slow;
  rig.emit = [&](Event event) {
    if (const auto* one = std::get_if<Compaction>(&event); one && one->phase == CompactionPhase::started)
      slow.go = true;
    rig.events.push_back(std::move(event));
  };
  rig.script.summaries([&](const Request&) { return slow.reply(says(test::good_summary, {500, 100})); });
  rig.context.config.micro_at = 0.79;
  rig.context.config.keep_recent = 2;
  rig.context.config.auto_compress = false;
  talk_until(rig, 0.75);
  rig.context.config.auto_compress = true;
  rig.compactor.make_room(rig.context, {});
  REQUIRE(rig.compactor.draft_pending());
  rig.context.config.truncate_at =
      fill_share(rig.context) + 0.001;  // no more room to go on while it is written
  rig.context.config.compact_at = rig.context.config.truncate_at - 0.01;
  rig.compactor.make_room(rig.context, {});
  CHECK(order_of(rig) == "needed started draft_ready completed ");
  REQUIRE(phases(rig, CompactionPhase::completed).size() == 1);
  CHECK(rig.store->compactions().back().pause_ms > 0);
  CHECK(contains(rig.store->compactions().back().why, "waited for"));
  CHECK(rig.store->compactions().back().cause == Cause::automatic);
}

TEST_CASE("a compaction without a model is told in words for people") {
  for (const char* strategy : {"local", "middle", "oldest", "tools"}) {
    INFO(strategy);
    Rig rig(60'000);
    rig.context.config.auto_compress = false;
    work(rig, 12);
    rig.compactor.compact(rig.context, {.focus = {}, .strategy = strategy, .preview = false, .range = {}},
                          {});
    const auto record = rig.store->compactions().back();
    INFO(record.summary);
    REQUIRE(record.tier >= Tier::compact);
    CHECK(record.summary.starts_with("## What was done\n- "));
    CHECK(contains(record.summary, "tool result"));
    CHECK(contains(record.summary, "\n- Frequency: Read "));
    CHECK_FALSE(contains(record.summary, "old result cut to"));
    CHECK_FALSE(record.key_points.empty());
    CHECK(record.key_points.size() < 19);
  }
}

TEST_CASE("key points come from every section of a summary, and from none that says nothing") {
  const std::string nine =
      "1. Primary request and intent: build the parser\n- with tests\n- and docs\n- and more\n2. Key "
      "technical concepts: none\n"
      "3. Files and code:\n- a.cpp: the scanner\n- b.cpp\n4. Errors and fixes: none open.\n5. Problem "
      "solving: as under 1\n"
      "6. All user messages:\n- \"fix it\"\n- \"now the rest\"\n7. Pending tasks: the docs\n8. Current "
      "work:\nwriting the docs\n"
      "9. Next step: ask for a review\n";
  const auto points = key_points(nine, 200);
  CHECK(points == std::vector<std::string>{"build the parser", "with tests", "and docs", "and more",
                                           "a.cpp: the scanner", "b.cpp", "\"fix it\"", "\"now the rest\"",
                                           "the docs", "writing the docs", "ask for a review"});
  std::string many = "1. Request:\n";
  for (int i = 0; i < 40; ++i) many += "- wish " + std::to_string(i) + "\n";
  many += "9. Next step: the last one\n";
  CHECK(key_points(many, 200).size() == 18);
  CHECK(key_points(many, 200).back() == "the last one");
}

TEST_CASE("what the memory file wants kept and what the focus asks for are both sent") {
  Rig rig(60'000);
  with_summaries(rig);
  rig.compactor.set_focus("keep MEMWORD");
  work(rig, 12);
  rig.compactor.compact(rig.context,
                        {.focus = "look at FOCUSWORD", .strategy = {}, .preview = false, .range = {}}, {});
  const auto text = asked_of(rig.script.requests().back());
  CHECK(contains(text, "keep MEMWORD"));
  CHECK(contains(text, "look at FOCUSWORD"));
}

TEST_CASE("why it was made is kept: asked for, or refused by the provider") {
  Rig rig(60'000);
  with_summaries(rig);
  rig.context.config.auto_compress = false;
  work(rig, 12);
  rig.compactor.compact(rig.context, {}, {});
  CHECK(rig.store->compactions().back().cause == Cause::asked);
  CHECK(order_of(rig) == "needed started completed ");
  work(rig, 8, 900, 12);
  rig.context.config.auto_compress = true;
  REQUIRE(
      rig.compactor.overflow(rig.context, {.kind = Failure::overflow, .message = "prompt is too long"}, {}));
  const auto record = rig.store->compactions().back();
  CHECK(record.cause == Cause::overflow);
  CHECK(contains(record.why, "the provider refused the length"));
  CHECK_FALSE(contains(record.why, "asked for"));
  CHECK(phases(rig, CompactionPhase::completed).back().cause == Cause::overflow);
}

namespace {

// A small model that is down: waits until it may, then fails.
class Down : public Provider {
 public:
  Down(Slow& slow, std::atomic<int>& tries) : slow_(slow), tries_(tries) {}
  void stream(const Request&, const Sink& sink, std::stop_token) override {
    ++tries_;
    while (!slow_.go) std::this_thread::yield();
    sink(Failed{.kind = Failure::server, .message = "the small model is down"});
  }

 private:
  Slow& slow_;
  std::atomic<int>& tries_;
};

}  // namespace

TEST_CASE("where the small model fails late, the main model is asked before anything is truncated") {
  Rig rig(32'000);
  Slow slow;
  std::atomic<int> tries{0};
  rig.context.model.small_model = "small";
  rig.connect_to = [&](const ModelInfo& model) -> std::unique_ptr<Provider> {
    if (model.name == "small") return std::make_unique<Down>(slow, tries);
    return rig.connect();
  };
  with_summaries(rig);
  rig.emit = [&](Event event) {
    if (const auto* one = std::get_if<Compaction>(&event); one && one->phase == CompactionPhase::started)
      slow.go = true;
    rig.events.push_back(std::move(event));
  };
  rig.context.config.micro_at = 0.79;
  rig.context.config.keep_recent = 2;
  rig.context.config.auto_compress = false;
  talk_until(rig, 0.72);
  rig.context.config.auto_compress = true;
  rig.compactor.make_room(rig.context, {});
  REQUIRE(rig.compactor.draft_pending());
  rig.context.config.auto_compress = false;
  for (int i = 100; fill_share(rig.context) < 0.96; ++i) {
    Item item;
    item.role = Role::user;
    item.blocks.push_back(Text{prose(static_cast<unsigned>(i), 200)});
    append(rig.agent, std::move(item));
  }
  rig.context.config.auto_compress = true;
  rig.compactor.make_room(rig.context, {});
  REQUIRE_FALSE(phases(rig, CompactionPhase::completed).empty());
  CHECK(phases(rig, CompactionPhase::completed).front().tier == Tier::compact);
  CHECK(rig.store->compactions().front().model == "model");
  const auto log = compaction_log_text(*rig.store);
  CHECK(contains(log, "small is not asked for 10 minutes: the small model is down"));

  for (int i = 0; i < 3; ++i)
    rig.compactor.compact(rig.context, {.focus = {}, .strategy = {}, .preview = false, .range = everything},
                          {});
  CHECK(tries == 1);  // it rests
  rig.clock += std::chrono::minutes(11);
  work(rig, 2, 500, 300);
  rig.compactor.compact(rig.context, {.focus = {}, .strategy = {}, .preview = false, .range = everything},
                        {});
  CHECK(tries > 1);  // it is asked again
}
