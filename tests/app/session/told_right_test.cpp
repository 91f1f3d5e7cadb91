// What the screen says of modes that were only passed, rules of the session, commands that people ended, and
// calls that were rejected.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/served_run.h"

using namespace tern;
using namespace tern::test;

TEST_CASE("a mode that was only passed by is told to nobody") {
  ServedRun run(R"({"replies": [{"text": "Understood."}]})");
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  for (const std::string_view mode : {"accept edits", "plan", "auto", "ask"}) {
    pty.send("\x1b[Z");
    REQUIRE(pty.until_text("─ " + std::string(mode) + " · shift-tab"));
  }
  pty.send("begin\r");
  REQUIRE(pty.until_text("Understood."));
  REQUIRE_FALSE(run.server.requests().empty());
  CHECK(run.server.requests()[0].body.find("[Plan mode is ") == std::string::npos);
}

TEST_CASE("a rule of the session is a row that says each thing once") {
  ServedRun run("{}");
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("/permissions allow Edit(notes/**)\r");
  REQUIRE(pty.until_text("For this session: allow Edit(notes/**)"));
  pty.send("/permissions\r");
  REQUIRE(pty.until_text("enter session or project"));
  const std::string screen = pty.vt().text();
  INFO(screen);
  const std::size_t at = screen.find("❯ Edit(notes/**)");
  REQUIRE(at != screen.npos);
  const std::string row = screen.substr(at, screen.find('\n', at) - at);
  CHECK(row.find("allow") == row.rfind("allow"));
  CHECK(row.find("session") == row.rfind("session"));
}

TEST_CASE("a background command that people stop is told as stopped by them, and leaving asks twice") {
  ServedRun run(R"({"replies": [
    {"calls": [{"name": "Bash", "arguments": {"command": "sleep 3600", "run_in_background": true}}]}, {"text": "It runs."}]})",
                {"--permission-mode", "bypass"});
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("begin\r");
  REQUIRE(pty.until_text("It runs."));
  REQUIRE(pty.until_gone("esc interrupt"));
  pty.send("\x04");
  REQUIRE(pty.until_text("1 command still runs in the background"));
  pty.send("/stop bash_1\r");
  REQUIRE(pty.until_text("bash_1 stopped by you: sleep 3600"));
  CHECK_FALSE(run.shows("KillBash"));
}

TEST_CASE("what a rejected call takes in the context is told with its path") {
  ServedRun run(R"({"replies": [
    {"calls": [{"name": "Write", "arguments": {"file_path": "notes/long.md", "content": ")" +
                    std::string(600, 'x') + R"("}}]}, {"text": "Understood."}]})",
                {}, 100, 60);
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("begin\r");
  REQUIRE(pty.until_text("enter choose"));
  pty.send("n");
  REQUIRE(pty.until_text("Tell tern what to do instead: "));
  pty.send("shorter\r");
  REQUIRE(pty.until_text("Understood."));
  REQUIRE(pty.until_gone("esc interrupt"));
  pty.send("/context\r");
  REQUIRE(pty.until_text("Biggest"));
  const std::string screen = pty.vt().text();
  INFO(screen);
  const std::string biggest = screen.substr(screen.find("Biggest"));
  CHECK(biggest.find("Write") != biggest.npos);
  CHECK(biggest.find("notes/long.md") != biggest.npos);
}
