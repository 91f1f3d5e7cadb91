// What the status line hears of the provider's cache between two prompts of the real session.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <optional>

#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wires.h"

using namespace tern;

TEST_CASE("after a turn and after a command the status line knows when the cache will be cold") {
  const test::FakeLlm server(R"({"default": {"text": "Read.",
    "usage": {"input": 300, "output": 20, "cache_read": 90000, "cache_write": 9000}}})");
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path() / "project");
  SessionSetup setup;
  setup.cwd = dir.path() / "project";
  setup.home = dir.path();
  setup.trusted = {dir.path()};
  setup.keep = false;
  setup.model = test::wires()[0].model;
  setup.env = [&](const std::string& name) {
    if (name == test::wires()[0].key) return std::string("test-key");
    return name == test::wires()[0].url ? server.url() + test::wires()[0].path : std::string();
  };
  Mailbox<Command> commands;
  std::optional<Meters> last, after_turn;
  bool ended = false;
  Session session(std::move(setup), commands, [&](Event event) {
    if (const auto* meters = std::get_if<Meters>(&event)) last = *meters;
    if (std::holds_alternative<TurnEnded>(event)) {
      ended = true;
      commands.push(PinThis{"a sentence", true});
    } else if (std::holds_alternative<Notice>(event) && ended && !after_turn) {
      after_turn = last;
      commands.push(Quit{});
    }
  });
  REQUIRE(session.open());
  commands.push(Submit{"go on", {}, When::after});
  session.run();
  for (const auto& meters : {after_turn, last}) {
    REQUIRE(meters);
    CHECK(meters->cold_in_ms > 0);
    CHECK(meters->cold_dollars > 0.3);
  }
}
