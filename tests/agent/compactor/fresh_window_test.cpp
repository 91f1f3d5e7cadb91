// A fresh window: notes, todos, the words in hand and an index in place of what was said before; undone like
// any compaction.
#include "agent/compactor/fresh_window.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <memory>

#include "agent/compactor/compactor.h"
#include "compression/values/blocks.h"
#include "tests/agent/turn/long_work.h"
#include "tests/support/script.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using test::phases;
using test::Rig;
using test::work;

namespace {

std::string bytes_of(const Conversation& conversation) { return test::to_script(conversation, SIZE_MAX); }

const Compact fresh{.focus = "the parser is done", .strategy = kFresh, .preview = false, .range = {}};

std::string window_text(const Conversation& conversation) {
  for (const auto& item : conversation.items)
    for (const auto* summary : blocks_of<Summary>(*item)) return summary->text;
  return {};
}

void offer_notes(Rig& rig) {
  for (const auto& tool : rig.hands.offered)
    rig.context.tools.push_back({tool->name, tool->description, tool->schema, tool->duty});
}

std::string synthetic_words(const Rig& rig) {
  std::string text;
  for (const auto& added : rig.seen<ItemAdded>())
    if (added.item->synthetic)
      for (const auto* said : blocks_of<Text>(*added.item)) text += said->text + '\n';
  return text;
}

}  // namespace

TEST_CASE(
    "a fresh window holds notes, open todos, the last words and an index, and is undone byte for byte") {
  test::TempDir folder;
  Rig rig(200'000, folder.path());
  work(rig, 14);
  rig.compactor.notes().write("plan", "We chose the hand-written lexer, since the generator cannot stream.",
                              9, false);
  rig.hands.todos = {{"write the lexer", "completed", ""}, {"wire it up", "pending", ""}};
  const auto before = bytes_of(rig.context.conversation);
  const auto used = used_of(rig.context);
  rig.compactor.compact(rig.context, fresh, {});
  const auto text = window_text(rig.context.conversation);
  INFO(text);
  CHECK(text.find("We chose the hand-written lexer") != std::string::npos);
  CHECK(text.find("wire it up") != std::string::npos);
  CHECK(text.find("write the lexer") == std::string::npos);
  CHECK(text.find("Why: the parser is done") != std::string::npos);
  CHECK(text.find("# Index of what left") != std::string::npos);
  CHECK(check(rig.context.conversation).empty());
  CHECK(used_of(rig.context) < used / 2);
  const auto now = bytes_of(rig.context.conversation);
  for (int turn : {0, 11, 12, 13})  // the first request, and what was said last
    CHECK(now.find("Please look at f" + std::to_string(turn) + ".txt") != std::string::npos);
  CHECK(now.find("call 5 Read") == std::string::npos);
  const auto record = rig.store->summaries().back().record;
  CHECK(record.strategy == "fresh");
  CHECK_FALSE(record.audit_full.empty());
  CHECK(bytes_of(rig.store->conversation()) == now);  // as after a kill
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(bytes_of(rig.context.conversation) == before);
  rig.compactor.undo(rig.context, {-1, {}});
  CHECK(bytes_of(rig.context.conversation) == now);
}

TEST_CASE("where nothing may leave a fresh window says so and changes nothing") {
  Rig rig;
  work(rig, 1, 50);
  const auto before = bytes_of(rig.context.conversation);
  rig.compactor.compact(rig.context, fresh, {});
  CHECK(bytes_of(rig.context.conversation) == before);
  CHECK(rig.seen<Notice>().back().text.find("Nothing to leave out") == 0);
}

TEST_CASE("a fresh window that would be no smaller is not begun, and both hear why") {
  Rig rig;
  for (const auto& tool : builtin_tools()) rig.hands.offered.add(tool);
  rig.context.config.note_budget = 20'000;
  work(rig, 8, 5);
  std::string plan;
  for (int i = 0; i < 1'200; ++i) plan += "Step " + std::to_string(i) + " keeps its place. ";
  rig.compactor.notes().write("plan", plan, 9, false);
  const auto before = bytes_of(rig.context.conversation);
  auto preview = fresh;
  for (const bool shown_first : {true, false}) {
    preview.preview = shown_first;
    rig.compactor.compact(rig.context, preview, {});
    CHECK(bytes_of(rig.context.conversation) == before);
    CHECK(rig.seen<PreviewReady>().empty());
    CHECK(rig.seen<Notice>().back().text.find("No fresh window: it would be no smaller") == 0);
  }
  rig.script.then(test::calls({test::call("n1", "NewContext", R"({"why":"done"})")})).then(test::says("ok"));
  REQUIRE(rig.turn("Now go on.").how == TurnEnded::How::done);
  CHECK(synthetic_words(rig).find("[No fresh window was begun: it would be no smaller.") !=
        std::string::npos);
  CHECK(rig.store->compactions().empty());
}

TEST_CASE("the model keeps notes and asks for a fresh window, and goes on in it") {
  Rig rig;
  for (const auto& tool : builtin_tools()) rig.hands.offered.add(tool);
  work(rig, 14);
  rig.script
      .then(test::calls(
          {test::call("n1", "Notes", R"({"op":"append","name":"plan.md","text":"next: wire it up"})")}))
      .then(test::calls({test::call("n2", "NewContext", R"({"why":"the lexer is done"})")}))
      .then(test::says("Going on."));
  const auto end = rig.turn("Now go on.");
  REQUIRE(end.how == TurnEnded::How::done);
  const auto last = rig.script.requests().back();
  CHECK(window_text(last.conversation).find("next: wire it up") != std::string::npos);
  CHECK(rig.bad_request() == "");
  CHECK(rig.store->compactions().back().strategy == "fresh");
}

TEST_CASE(
    "auto begins the next window by notes where the model has kept enough, and by a summary where it has "
    "not") {
  const std::string plan =
      "The parser comes first, since the generator cannot stream. It is written by hand, one function a "
      "rule, and keeps the "
      "place of each token for the messages. Done: the lexer and expressions. Open: statements, then "
      "recovery after an error; "
      "the tests in tests/parser name each rule. The user wants no new library, and messages in plain "
      "English. Next: read "
      "statements.md again, write the function for loops, and run ctest -R parser before anything is said to "
      "be done. Later: "
      "measure it on the large file, which took nine seconds before.";
  for (const auto& [note, kept] :
       {std::pair(plan, true), {std::string("the parser comes first"), false}, {std::string(), false}}) {
    Rig rig(32'000);
    test::with_summaries(rig);
    offer_notes(rig);
    rig.context.config.draft_at = 0.95;
    rig.context.config.trigger_messages = 60;
    work(rig, 3, 400);
    if (!note.empty()) rig.compactor.notes().write("plan", note, 3, false);
    work(rig, 24, 400, 3);
    std::vector<std::string> strategies;
    std::string whys;
    for (const auto& row : rig.store->compactions())
      if (row.tier == Tier::compact) strategies.push_back(row.strategy), whys += row.why + '\n';
    INFO(whys);
    REQUIRE_FALSE(strategies.empty());
    CHECK((strategies.front() == "fresh") == kept);
    CHECK((whys.find("by notes, written since the last compaction: plan.md") != std::string::npos) == kept);
    CHECK(rig.bad_request() == "");
    // Where they did not make the window they stand behind the summary.
    CHECK((synthetic_words(rig).find("your notes, as they stand") != std::string::npos) ==
          (!kept && !note.empty()));
  }
}

TEST_CASE(
    "auto makes a summary where notes were written only when they were asked for, also in another run") {
  const bool other_run = GENERATE(false, true);
  const test::TempDir folder;
  auto held = std::make_unique<Rig>(32'000, folder.path());
  const auto set_up = [](Rig& rig) {
    test::with_summaries(rig);
    offer_notes(rig);
    rig.context.config.draft_at = 0.95;
    rig.context.config.micro_at = 0.99;
  };
  set_up(*held);
  bool asked = false;
  for (int turn = 0; turn < 60 && held->store->compactions().empty(); ++turn) {
    if (asked && other_run) {
      held.reset();
      held = std::make_unique<Rig>(32'000, folder.path());
      set_up(*held);
      held->compactor.resumed(held->context);
    }
    Rig& rig = *held;
    work(rig, 1, 300, turn);
    if (asked || synthetic_words(rig).find("older messages leave soon") == std::string::npos) continue;
    asked = true;
    std::string plan;
    for (int i = 0; i < 40; ++i) plan += "Step " + std::to_string(i) + " keeps its place. ";
    rig.compactor.notes().write("plan", plan, rig.agent.turn, false);
  }
  REQUIRE(asked);
  Rig& rig = *held;
  REQUIRE_FALSE(rig.store->compactions().empty());
  const auto row = rig.store->compactions().front();
  INFO(row.why);
  CHECK(row.strategy != "fresh");
  CHECK(synthetic_words(rig).find("your notes, as they stand") != std::string::npos);
}

TEST_CASE("a window that a full context begins keeps the newest rounds whole, as far as there is room") {
  Rig rig(32'000);
  offer_notes(rig);
  rig.context.config.micro_at = 0.99;  // words leave, not results
  rig.context.config.context_style = ContextStyle::notes;
  for (int i = 0; i < 40; i += 5) {
    rig.compactor.notes().write("plan", "The parser comes first. Step " + std::to_string(i),
                                rig.agent.turn + 1, false);
    work(rig, 5, 300, i);
  }
  const auto budget = budget_of(rig.context);
  const auto goal = static_cast<Tokens>(budget.config.compact_at * budget.config.compact_target *
                                        static_cast<double>(working_limit(budget)));
  std::size_t windows = 0;
  for (const auto& row : rig.store->compactions()) {
    if (row.strategy != "fresh") continue;
    ++windows;
    INFO(row.before << " to " << row.after << ", goal " << goal);
    CHECK(row.after <= goal);
    CHECK(row.after > goal * 6 / 10);
  }
  CHECK(windows >= 2);
  std::size_t standing = 0;  // an older window leaves before a newer one comes
  for (const auto& item : rig.context.conversation.items) standing += !blocks_of<Summary>(*item).empty();
  CHECK(standing == 1);
}

TEST_CASE("before older messages leave, the model is told to keep what it needs, once a window") {
  Rig rig(32'000);
  test::with_summaries(rig);
  offer_notes(rig);
  rig.context.config.auto_compress = true;
  rig.context.config.draft_at = 0.95;
  while (fill_share(rig.context) < rig.context.config.compact_at - 0.08 && rig.agent.turn < 60) {
    CHECK(synthetic_words(rig).find("older messages leave soon") == std::string::npos);
    rig.context.config.micro_at = 0.99;
    work(rig, 1, 300, static_cast<int>(rig.agent.turn));
  }
  work(rig, 1, 50, 100);
  const auto words = synthetic_words(rig);
  INFO(words);
  const auto first = words.find("Keep with Notes what the work still needs");
  CHECK(first != std::string::npos);
  CHECK(words.find("Keep with Notes what the work still needs", first + 1) == std::string::npos);
}

TEST_CASE("notes take their budget, the newest first, and the others are named") {
  const std::vector<Note> notes = {{"old.md", std::string(4'000, 'o'), 1}, {"new.md", "short and new", 7}};
  const auto text = notes_text(notes, 100);
  CHECK(text.find("short and new") != std::string::npos);
  CHECK(text.find("More notes, to be read with Notes: old.md") != std::string::npos);
  CHECK(text.find("oooo") == std::string::npos);
}
