// A folder that joins the workspace in the middle of a session.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/protocol/asked_words.h"
#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wires.h"
#include "tools/exec/process.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
namespace fs = std::filesystem;
using nlohmann::json;

TEST_CASE("commands in the sandbox may write a folder that was added after the sandbox was made") {
  if (probe_sandbox().rung == SandboxRung::none) SKIP("no sandbox here");
  test::TempDir dir;
  const auto more = dir.path() / "more";
  const auto write = [&](const char* name) {
    return json{
        {"calls", {{{"name", "Bash"}, {"arguments", {{"command", "touch " + (more / name).string()}}}}}}};
  };
  test::FakeLlm server(
      json{{"replies", {write("early"), json{{"text", "No."}}, write("late"), json{{"text", "Done."}}}}}
          .dump());
  SessionSetup setup;
  setup.cwd = dir.path() / "project";
  setup.home = dir.path() / "home";
  for (const auto& folder : {setup.cwd, setup.home, more}) fs::create_directories(folder);
  setup.trusted = {dir.path()};
  setup.mode = PermissionMode::automatic;
  const auto& wire = test::wires()[0];
  setup.model = wire.model;
  setup.env = [&](const std::string& name) {
    return name == wire.key   ? std::string("test-key")
           : name == wire.url ? server.url() + wire.path
                              : std::string();
  };
  set_supervisor(places::supervisor());

  Mailbox<Command> commands;
  int turns = 0, asked = 0;
  Session session(std::move(setup), commands, [&](Event event) {
    if (const auto* question = std::get_if<PermissionAsked>(&event)) {
      ++asked;
      commands.push(Answer{question->id, Verdict::no, "not there"});
    }
    if (!std::holds_alternative<TurnEnded>(event)) return;
    if (++turns == 2) return commands.push(Quit{});
    commands.push(asked_words("add-dir", more.string()));
    commands.push(Submit{"again", {}, When::steer});
  });
  REQUIRE(session.open());
  commands.push(Submit{"go", {}, When::steer});
  session.run();
  CHECK(asked == 1);  // outside the workspace, the first time
  CHECK_FALSE(fs::exists(more / "early"));
  CHECK(fs::exists(more / "late"));
}
