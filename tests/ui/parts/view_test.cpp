#include "ui/parts/view.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/turn/reply.h"
#include "compression/values/tokens.h"
#include "ui/parts/status_bar.h"
#include "ui/text/width.h"

using namespace tern;

namespace {
ItemPtr item(std::uint64_t id, Role role, std::vector<Block> blocks) {
  Item made;
  made.id = {id};
  made.role = role;
  made.blocks = std::move(blocks);
  return make_item(std::move(made));
}
template <class T>
const T& cell(const ViewState& view, std::size_t i) {
  REQUIRE(i < view.cells.size());
  REQUIRE(std::holds_alternative<T>(view.cells[i].body));
  return std::get<T>(view.cells[i].body);
}
}  // namespace

TEST_CASE("what was streamed becomes what the log holds") {
  ViewState view;
  fold(view, Delta{DeltaKind::text, "Hel"}, 0);
  fold(view, Delta{DeltaKind::text, "lo"}, 0);
  CHECK(cell<AssistantCell>(view, 0).streaming);
  fold(view, ItemAdded{item(2, Role::assistant, {Text{"Hello."}})}, 0);
  CHECK(view.cells.size() == 1);
  CHECK(cell<AssistantCell>(view, 0).markdown == "Hello.");
  CHECK_FALSE(cell<AssistantCell>(view, 0).streaming);
  CHECK(view.cells[0].item == ItemId{2});
}

TEST_CASE("a retry counts down the seconds that are left, and how to stop it is not cut off") {
  struct Overloaded : Provider {
    void stream(const Request&, const Sink& sink, std::stop_token) override {
      sink(Retrying{"The provider is overloaded (529): " + std::string(80, 'x'), std::chrono::seconds(8), 1,
                    10});
    }
  } provider;
  std::vector<Event> events;
  ask(provider, Request{}, [&](Event event) { events.push_back(std::move(event)); }, {});
  REQUIRE(!events.empty());
  ViewState view;
  const std::int64_t now = 5'000'000;  // of a steady clock: days since the machine started, not the year
  fold(view, events.front(), now);
  CHECK(working_line(view, 80, now).text.ends_with(" · retrying in 8s (2 of 10) · esc stop"));
  CHECK(working_line(view, 80, now + 3'500).text.ends_with(" · retrying in 5s (2 of 10) · esc stop"));
  CHECK(working_line(view, 80, now + 9'000).text.ends_with("… · retrying (2 of 10) · esc stop"));
  view.waiting.until_ms = now + 4'000'000;
  for (const int columns : {40, 80}) {
    const Row row = working_line(view, columns, now);
    CHECK(row.text.ends_with(" · esc stop"));
    CHECK(width(row.text) <= columns);
  }
}

TEST_CASE("tools that start before the item is complete do not double the text") {
  ViewState view;
  fold(view, Delta{DeltaKind::text, "Looking."}, 0);
  fold(view, ToolStarted{"c1", "Read", "Read", "a.cpp", "{}"}, 0);
  fold(view, ItemAdded{item(2, Role::assistant, {Text{"Looking."}, ToolCall{"c1", "Read", "{}", ""}})}, 0);
  CHECK(view.cells.size() == 2);
}

TEST_CASE("a result claims its cell and a compaction marks it") {
  ViewState view;
  fold(view, ToolStarted{"c1", "Read", "Read", "a.cpp", "{}"}, 0);
  ToolFinished done;
  done.call_id = "c1";
  done.note = "12 lines";
  fold(view, done, 0);
  ToolResult result;
  result.call_id = "c1";
  result.recall = {5};
  result.text = "x";
  fold(view, ItemAdded{item(3, Role::user, {result})}, 0);
  CHECK(view.cells.size() == 1);
  CHECK(view.cells[0].item == ItemId{3});
  Compaction compaction;
  compaction.phase = CompactionPhase::completed;
  compaction.tier = Tier::micro;
  compaction.touched = {ItemId{9}, ItemId{3}};
  fold(view, compaction, 0);
  CHECK(view.cells[0].left_context == Tier::micro);
  compaction.phase = CompactionPhase::undone;
  fold(view, compaction, 0);
  CHECK(view.cells[0].left_context == Tier::none);
}

TEST_CASE("what tern says to the model is not shown as the person's words") {
  ViewState view;
  Item made;
  made.id = {1};
  made.blocks = {Text{"resume rule"}};
  made.synthetic = true;
  fold(view, ItemAdded{make_item(made)}, 0);
  CHECK(view.cells.empty());
}

TEST_CASE("a running command's tail is bounded") {
  ViewState view;
  fold(view, ToolStarted{"c1", "Bash", "Bash", "yes", "{}"}, 0);
  for (int i = 0; i < 1'000; ++i) fold(view, ToolProgress{"c1", std::string(1'000, 'y')}, 0);
  CHECK(cell<ToolCell>(view, 0).tail.size() <= 33'000);
}

TEST_CASE("a turn that fails says so and stops the clock") {
  ViewState view;
  fold(view, TurnStarted{1}, 5);
  CHECK(view.working);
  TurnEnded ended;
  ended.how = TurnEnded::How::failed;
  ended.error = "no key";
  fold(view, ended, 9);
  CHECK_FALSE(view.working);
  CHECK(cell<NoticeCell>(view, 0).text == "no key");
}

TEST_CASE("the part of the log that comes later stands above, marked by what was compressed since") {
  ViewState view;
  fold(view, Notice{Level::warning, "keys: no such action"}, 0);
  fold(view, SessionOpened{.id = "s", .name = {}, .resumed = true, .more = true}, 0);
  fold(view, ItemAdded{item(8, Role::user, {Text{"newer"}}), true}, 0);
  Compaction compaction;
  compaction.phase = CompactionPhase::completed;
  compaction.tier = Tier::compact;
  compaction.touched = {ItemId{3}};
  fold(view, compaction, 0);
  fold(view, Meters{}, 0);
  CHECK(view.more_above);
  CHECK(cell<NoticeCell>(view, 2).text ==
        "keys: no such action");  // said before the log came: not lost, not above it
  auto page = std::make_shared<EventPage>();
  page->events.push_back(ItemAdded{item(3, Role::user, {Text{"older"}}), true});
  page->events.push_back(ItemAdded{item(4, Role::assistant, {Text{"answer"}}), true});
  fold(view, Earlier{page, false}, 0);
  CHECK_FALSE(view.more_above);
  REQUIRE(view.cells.size() == 5);
  CHECK(cell<UserCell>(view, 0).text == "older");
  CHECK(view.cells[0].left_context == Tier::compact);
  CHECK(view.cells[1].left_context == Tier::none);
  CHECK(cell<UserCell>(view, 2).text == "newer");
  CHECK(view.cells[0].id != view.cells[2].id);
}

TEST_CASE("what was streamed before a retry is void: the answer begins anew in its place") {
  ViewState view;
  fold(view, TurnStarted{1}, 0);
  const auto shown = [&] {
    std::string all;
    for (const Cell& cell : view.cells) {
      if (const auto* said = std::get_if<AssistantCell>(&cell.body)) all += "[" + said->markdown + "]";
      if (const auto* thought = std::get_if<ThinkingCell>(&cell.body)) all += "(" + thought->text + ")";
    }
    return all;
  };
  fold(view, Delta{DeltaKind::thinking, "let me see"}, 0);
  fold(view, Delta{DeltaKind::text, "Half an ans"}, 0);
  fold(view, Waiting{"overloaded", 1'000, 2, 10}, 0);
  CHECK(shown() == "()[]");
  fold(view, Delta{DeltaKind::thinking, "let me see"}, 0);
  fold(view, Delta{DeltaKind::text, "Half an ans"}, 0);
  fold(view, Waiting{"overloaded", 1'000, 3, 10}, 0);
  fold(view, Delta{DeltaKind::text, "Half an answer is whole."}, 0);
  CHECK(shown() == "()[Half an answer is whole.]");
  fold(view, Waiting{"The model has been silent for 20 s", 0}, 0);
  CHECK(shown() == "()[Half an answer is whole.]");
}

TEST_CASE("of a day of large results the newest are whole, and of older ones the ends stay") {
  ViewState view;
  std::string output = "first line\n";
  while (output.size() < 250'000) output += "one more line of a long log\n";
  output += "last line\n";
  for (std::uint32_t n = 1; n <= 100; ++n) {
    ToolFinished done;
    done.call_id = "c" + std::to_string(n);
    done.tool = "Bash";
    done.text = output;
    done.recall = {n};
    fold(view, std::move(done), 0);
  }
  std::size_t held = 0;
  for (const Cell& one : view.cells) held += std::get<ToolCell>(one.body).output.capacity();
  CHECK(held < 10'000'000);
  CHECK(cell<ToolCell>(view, 99).output == output);
  const std::string& oldest = cell<ToolCell>(view, 0).output;
  CHECK(oldest.starts_with("first line\n"));
  CHECK(oldest.ends_with("last line\n"));
  CHECK(oldest.find("not shown here: /recall r1]") != std::string::npos);
}
