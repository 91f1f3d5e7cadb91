// Pictures of the living compression: the notice with its audit, the panel of /context, the preview, the
// progress line.
#include "tests/ui/world.h"

using namespace tern;

namespace {

struct Task : World {
  Task() {
    tell(meters());
    user("Make the tokenizer stream.");
  }
  static Meters meters() {
    Meters m;
    m.model = "claude-sonnet-4-5";
    m.cwd = "/home/ann/src/parser";
    m.branch = "main*";
    m.window = 200'000;
    m.effective = m.limit = 180'000;
    m.used = 71'400;
    m.parts = {{"system", 1'100},     {"tools", 1'300},    {"memory", 400},     {"user", 6'200},
               {"assistant", 14'000}, {"results", 42'000}, {"summaries", 6'400}};
    m.estimated = false;
    m.turns_to_next = 7;
    m.saved = 112'000;
    m.cache_hit = 0.92;
    m.dollars = 0.41;
    m.dollars_known = true;
    m.draft_ready = true;
    return m;
  }
};

Compaction micro() {
  return {
      .phase = CompactionPhase::completed,
      .tier = Tier::micro,
      .batch = 3,
      .before = 121'000,
      .after = 78'000,
      .items = 14,
      .originals = 14,
      .strategy = "microcompact",
      .why = "62 % of the window, mark at 60 %; 14 old results",
      .audit = "312 of 340 details kept, 28 on recall, none lost",
      .cost =
          "costs $0.041 now, saves $0.0387 per turn · pays after 2 turns (4 requests) · cache warm (40 s)",
      .pause_ms = 0,
      .touched = {}};
}

PreviewReady preview() {
  return {
      .id = 1,
      .range = "34 messages, from \"Make the tokenizer stream.\" to \"Bash ctest -R tokenizer\"",
      .kept = "9 messages, from \"now the same for CRLF files\" to \"All 34 tests pass.\"",
      .draft =
          "1. Primary request and intent: make the tokenizer stream.\n3. Files and code: "
          "src/tokenizer.cpp:202 `flush_line()`\n"
          "8. Current work: CRLF files\n",
      .strategy = "sections by claude-haiku-4-5",
      .before = 146'000,
      .after = 61'000,
      .cost =
          "costs $0.0310 now, saves $0.0765 per turn · pays after 1 turn (2 requests) · cache cold (22 min) "
          "· a request's input $0.44 → $0.18"};
}

}  // namespace

TEST_CASE("the notice of a compaction shows tokens, originals, the audit and what it costs") {
  Task world;
  world.tell(micro());
  auto summary = micro();
  summary.tier = Tier::compact;
  summary.items = 41;
  summary.originals = 41;
  summary.strategy = "sections";
  summary.before = 146'000;
  summary.after = 61'000;
  summary.audit = "41 of 47 details kept, 6 on recall, none lost";
  summary.cost =
      "costs $0.0310 now, saves $0.0765 per turn · pays after 1 turn (2 requests) · cache cold (22 min)";
  world.tell(summary);
  world.tell(Compaction{.phase = CompactionPhase::undone, .batch = 4, .before = 61'000, .after = 146'000});
  world.tell(Compaction{.phase = CompactionPhase::failed,
                        .tier = Tier::compact,
                        .why = "summary by claude-haiku-4-5 rejected: it is empty"});
  CHECK_GOLDEN("compaction_notice", world.look(100, 24));
}

TEST_CASE("the panel of /context shows what fills the window, what each tier did and what a cut would cost") {
  Task world;
  world.tell(ContextReport{
      Task::meters(),
      {},
      {"12k  Read  src/tokenizer.cpp (r17)", "8.1k  Bash  ctest -R tokenizer (r21)",
       "3.4k  answer  I'll look at …"},
      {"microcompact: 2× · 61k tokens freed", "compact: 1× · 51k tokens freed"},
      {"forecast: about 7 turns to the next tier (5.2k a turn)",
       "compacting to half now: costs $0.13 now, saves $0.0321 per turn · pays after 5 turns (13 requests) · "
       "cache warm (40 s)",
       "the next summary is drafted", "1 summary failed in a row",
       "pinned sentence: never touch the lexer tables",
       "last: sections · 82 % of the window, mark at 80 % · 41 of 47 details kept, 6 on recall, none lost"}});
  CHECK_GOLDEN("compaction_panel", world.look(100, 34));
  CHECK_GOLDEN("compaction_panel_narrow", world.look(60, 24));
}

TEST_CASE("the preview shows range, tail, cost and draft, and is accepted or discarded with a key") {
  Task world;
  world.tell(preview());
  CHECK_GOLDEN("compaction_preview", world.look(100, 24));
  SECTION("accepted") {
    world.press("a");
    const auto sent = world.commands.drain();
    REQUIRE(sent.size() == 1);
    CHECK(std::get<AcceptPreview>(sent[0]).accept);
  }
  SECTION("discarded") {
    world.press("d");
    const auto sent = world.commands.drain();
    REQUIRE(sent.size() == 1);
    CHECK_FALSE(std::get<AcceptPreview>(sent[0]).accept);
  }
  CHECK_FALSE(world.shell.overlay);
}

TEST_CASE("a summary that somebody waits for is seen in the status line, and Esc stops it") {
  Task world;
  world.tell(TurnStarted{2});
  world.tell(Compaction{
      .phase = CompactionPhase::started, .tier = Tier::compact, .before = 146'000, .strategy = "summarize"});
  world.tell(Compaction{.phase = CompactionPhase::progress,
                        .tier = Tier::compact,
                        .strategy = "summary by claude-haiku-4-5 in 3 parts at once"});
  CHECK_GOLDEN("compaction_progress", world.look(100, 16));
}
