// An automatic compaction on a real pseudo-terminal: what is under way is shown, typing goes on, and Esc ends
// it.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/served_run.h"

using namespace tern;
using namespace tern::test;

namespace {

// Listings fill the window; the summary that becomes due is never answered.
constexpr std::string_view silent_summaries =
    R"({"rounds": {"n": 40, "call": {"name": "Bash", "arguments": {"command": )"
    R"("for n in $(seq $i00 $i99); do echo the quick brown fox number $n jumps over a lazy dog; done"}}, )"
    R"("text": "Round $i.", "final": "all rounds done"}, "default": {"text": "going on"}, "limit": 16000, )"
    R"("summary": {"fault": {"kind": "no_head"}}})";

struct CompactingRun : ServedRun {
  CompactingRun()
      : ServedRun(silent_summaries,
                  {"--window", "16000", "--permission-mode", "bypass", "--config", "compression.microAt=0.79",
                   "--config", "compression.microLowWater=0.78"}) {}
};

}  // namespace

TEST_CASE(
    "while an automatic compaction runs its progress is shown, a person types and edits, and Esc ends it") {
  CompactingRun run;
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("do the rounds\r");
  REQUIRE(pty.until_text("Compacting draft by"));
  CHECK(run.shows("esc interrupt"));
  pty.send("keep the 文字表x");
  REQUIRE(pty.until_text("❯ keep the 文字表x"));
  pty.send("\x7f\x7f\x1b[D\x1b[D\x1b[3~");  // two off the end, left twice, and one off there
  REQUIRE(pty.until_text("❯ keep the 字"));
  CHECK(run.shows("Compacting draft by"));
  pty.send("/");
  REQUIRE(pty.until_text("❯ keep the /字"));
  pty.send("\x1b");
  REQUIRE(pty.until_text("interrupted"));
  REQUIRE(pty.until_gone("Compacting draft by"));
  CHECK(run.shows("❯ keep the /字"));
  CHECK_FALSE(run.shows("◇ compacted"));
  pty.send("\r");  // the turn goes on where somebody wants it to, and the compaction with it
  REQUIRE(pty.until_text("Compacting draft by"));
}

TEST_CASE("what was sent during a compaction comes back above what was being typed when Esc ends it") {
  CompactingRun run;
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("do the rounds\r");
  REQUIRE(pty.until_text("Compacting draft by"));
  pty.send("after that\t");
  REQUIRE(pty.until([](const Vt& vt) { return vt.text().find("❯ after that") == std::string::npos; }));
  pty.send("half a");
  REQUIRE(pty.until_text("❯ half a"));
  pty.send("\x1b");
  REQUIRE(pty.until_text("interrupted"));
  REQUIRE(pty.until_text("❯ after that"));
  CHECK(run.shows("half a"));
}
