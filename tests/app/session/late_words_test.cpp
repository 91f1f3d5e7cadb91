// Words that come when nobody waits for them, those of a rejection looked up later, and paths as people are
// told of them.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "tests/support/project_folder.h"
#include "tests/support/served_run.h"
#include "tests/support/shell_run.h"

using namespace tern;
using namespace tern::test;

TEST_CASE("what is typed behind the order to leave is the draft of the next start, and runs nothing") {
  const ProjectFolder folder;
  const Pty::Options options{.columns = 80,
                             .lines = 24,
                             .cwd = folder.project.string(),
                             .environment = folder.environment("xterm-256color"),
                             .deadline_seconds = 60};
  const std::vector<std::string> command{places::program(), "--model", "demo"};
  {
    Pty pty(command, options);
    REQUIRE(pty.until_text("enter choose"));
    pty.send("1");
    REQUIRE(pty.until_text("ask, or / for commands"));
    pty.send(
        "\x04"
        "!touch ran\r");
    CHECK(pty.until_exit() == 0);
  }
  CHECK_FALSE(std::filesystem::exists(folder.project / "ran"));
  Pty pty(command, options);
  REQUIRE(pty.until_text("! touch ran"));
  CHECK(pty.vt().text().find("◌") == std::string::npos);
  pty.send("\x03\x03");
  pty.until_exit();
}

TEST_CASE("a rejection is recalled with the reason that was given, not with what the model was told") {
  ServedRun run(R"({"replies": [
    {"calls": [{"name": "Bash", "arguments": {"command": "make all the things"}}]}, {"text": "Understood."}]})");
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("begin\r");
  REQUIRE(pty.until_text("enter choose"));
  pty.send("n");
  REQUIRE(pty.until_text("Tell tern what to do instead: "));
  pty.send("use ninja\r");
  REQUIRE(pty.until_text("Understood."));
  REQUIRE(pty.until_gone("esc interrupt"));
  CHECK(run.shows("rejected: use ninja"));
  pty.send("/recall\r");
  REQUIRE(pty.until_text("Rejected: use ninja"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("Rejected: use ninja"));
  pty.send("/recall ninja\r");
  REQUIRE(pty.until_text("use ninja"));
  CHECK_FALSE(run.shows("doesn't want to proceed"));
}

TEST_CASE("an interruption is recalled in a sentence for people") {
  ServedRun run(R"({"replies": [{"fault": {"kind": "no_head"}}, {"text": "Here again."}]})");
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("begin\r");
  REQUIRE(pty.until_text("esc interrupt"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("esc interrupt"));
  pty.send("again\r");
  REQUIRE(pty.until_text("Here again."));
  REQUIRE(pty.until_gone("esc interrupt"));
  pty.send("/recall\r");
  REQUIRE(pty.until_text("You interrupted the turn."));
  CHECK_FALSE(run.shows("Request interrupted"));
}

TEST_CASE("the linear log tells a path inside the folder from there, and a command as it is") {
  const Home home;
  const std::string work = home.work.string();
  const FakeLlm server(R"({"replies": [
    {"calls": [{"name": "Write", "arguments": {"file_path": ")" +
                       work + R"(/notes.md", "content": "x\n"}},
               {"name": "Bash", "arguments": {"command": "cat )" +
                       work + R"(/notes.md"}}]}, {"text": "Done."}]})");
  const ShellRun run =
      shell_run(home, "printf 'go\\ny\\ny\\n' | \"$TERN\" --plain --model " + std::string(wires()[0].model),
                service(wires()[0], server.url()));
  INFO(run.out);
  CHECK(run.out.find("* Write notes.md\n") != std::string::npos);
  CHECK(run.out.find("Permission: Write notes.md\n") != std::string::npos);
  CHECK(run.out.find("* Bash cat " + work + "/notes.md") != std::string::npos);
}
