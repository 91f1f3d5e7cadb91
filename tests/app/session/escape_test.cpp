// Esc in every state of a turn. Nothing here would end by itself within minutes: that a case ends shows that
// Esc ended it.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/served_run.h"

using namespace tern;
using namespace tern::test;

namespace {

struct EscapeState {
  const char* name;
  const char* scenario;
  const char* shown;  // what tells that it is reached
};

constexpr EscapeState escape_states[] = {
    {"no answer yet", R"({"default": {"fault": {"kind": "no_head"}}})", "esc interrupt"},
    {"thinking",
     R"({"default": {"thinking": "pondering the question", "signature": "c2ln", "text": "x", "pieces": 8,
        "fault": {"kind": "hang", "at": 900}}})",
     "Thinking"},
    {"streaming",
     R"({"default": {"text": "first words and then a very long text that never comes to its end", "pieces": 6,
        "fault": {"kind": "hang"}}})",
     "first words"},
    {"a command runs",
     R"({"default": {"calls": [{"name": "Bash", "arguments": {"command": "echo begun; sleep 3600"}}]}})",
     "│ begun"},
    {"a command runs that ignores signals",
     R"({"default": {"calls": [{"name": "Bash",
        "arguments": {"command": "trap '' TERM INT HUP; echo begun; while :; do sleep 3600; done"}}]}})",
     "│ begun"},
    {"a command floods",
     R"({"default": {"calls": [{"name": "Bash", "arguments": {"command": "yes a long line of output that never ends"}}]}})",
     "│ a long line of output"},
    {"several commands wait for each other",
     R"({"default": {"calls": [{"name": "Bash", "arguments": {"command": "echo begun; sleep 3600"}},
        {"name": "Bash", "arguments": {"command": "sleep 3601"}}, {"name": "Bash", "arguments": {"command": "sleep 3602"}}]}})",
     "│ begun"},
    {"a retry is waited for",
     R"({"default": {"fault": {"kind": "status", "status": 529, "message": "Overloaded", "retry-after": "60"}}})",
     "Overloaded"},
};

}  // namespace

TEST_CASE("esc ends a turn at once, whatever it is doing, and gives back what was queued") {
  for (const EscapeState& state : escape_states) {
    INFO(state.name);
    ServedRun run(state.scenario, {"--permission-mode", "bypass"});
    auto& pty = run.pty;
    REQUIRE(pty.until_text("claude-sonnet-4-5"));
    pty.send("begin\r");
    REQUIRE(pty.until_text(state.shown));
    pty.send("later words\t");
    REQUIRE(pty.until_text("take back"));
    pty.send("\x1b");
    REQUIRE(pty.until_text("interrupted"));
    REQUIRE(pty.until_gone("esc interrupt"));
    REQUIRE(pty.until_text("❯ later words"));
  }
}

TEST_CASE("esc ends a turn that asks, and one whose history is being searched; over a page it takes two") {
  constexpr std::string_view asking =
      R"({"default": {"calls": [{"name": "Bash", "arguments": {"command": "make all the things"}}]}})";
  {
    ServedRun run(asking);
    REQUIRE(run.pty.until_text("claude-sonnet-4-5"));
    run.pty.send("begin\r");
    REQUIRE(run.pty.until_text("make all the things"));
    REQUIRE(run.pty.until_text("esc"));
    run.pty.send("\x1b");
    REQUIRE(run.pty.until_text("rejected"));
    REQUIRE(run.pty.until_gone("esc interrupt"));
  }
  ServedRun run(escape_states[0].scenario);
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("first\r");
  REQUIRE(pty.until_text("esc interrupt"));
  pty.send(
      "half a prompt\x12"
      "fir");
  REQUIRE(pty.until_text("history: fir"));
  pty.send("\x1b");
  REQUIRE(pty.until_text("interrupted"));
  REQUIRE(pty.until_text("❯ half a prompt"));
  pty.send("\r");
  REQUIRE(pty.until_text("esc interrupt"));
  pty.send("/keys\r");
  REQUIRE(pty.until_text("esc esc interrupt"));
  pty.send("\x1b");
  REQUIRE(pty.until_text(" · esc interrupt"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("esc interrupt"));
}
