// A whole session with the demo model and no screen: what commands get for an answer.
#include "app/session.h"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "ui/command.h"
#include "ui/shell.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct World {
  test::TempDir dir;
  const fs::path& root = dir.path();
  Mailbox<Command> commands;
  std::vector<Event> events;

  SessionSetup setup() {
    fs::create_directories(root / "project");
    fs::create_directories(root / "home");
    SessionSetup setup;
    setup.cwd = root / "project";
    setup.home = root / "home";
    setup.model = "demo";
    setup.keep = false;
    setup.trusted = {root};
    setup.env = [](const std::string&) { return std::string(); };
    return setup;
  }
  // Everything that was said, until the session has nothing more to do.
  void run(SessionSetup setup, std::vector<Command> said) {
    Session session(std::move(setup), commands, [this](Event event) { events.push_back(std::move(event)); });
    REQUIRE(session.open());
    for (Command& command : said) commands.push(std::move(command));
    commands.push(Quit{});
    session.run();
  }
  std::string notices() const {
    std::string all;
    for (const Event& event : events)
      if (const auto* notice = std::get_if<Notice>(&event)) all += notice->text + "\n";
    return all;
  }
};

}  // namespace

TEST_CASE("every question that a slash command asks is answered") {
  World world;
  Mailbox<Command> asked;
  Mailbox<Event> none;
  UiDeps deps{.commands = asked,
              .events = none,
              .interrupt = [] {},
              .on_wake = [](std::function<void()>) {},
              .list_files = [](std::stop_token) { return std::vector<std::string>{}; }};
  Shell shell{deps, [] {}};
  for (const SlashCommand* command : slash_commands()) {
    command->run(shell, "");
    command->run(shell, "x");
  }
  std::vector<Command> questions;
  for (Command& command : asked.drain())
    if (std::holds_alternative<Query>(command) && std::get<Query>(command).name != "doctor")
      questions.push_back(std::move(command));
  REQUIRE(questions.size() > 15);
  world.run(world.setup(), std::move(questions));
  CHECK(world.notices().find("Nothing answers") == std::string::npos);
}

TEST_CASE("folders, rules and settings can be changed by word") {
  World world;
  fs::create_directories(world.root / "more");
  auto setup = world.setup();
  setup.configure = [](const fs::path&, const std::string& json, CompressionConfig&) { return "changed " + json; };
  world.run(std::move(setup),
            {Query{"add-dir", (world.root / "more").string()}, Query{"add-dir", "nowhere"},
             Query{"permissions", "deny Edit(secret/**)"}, Query{"permissions", "deny Edit("}, Query{"permissions", ""},
             Query{"config", "compression.microAt 0.5"}, Query{"config", "model demo"}});
  const auto said = world.notices();
  INFO(said);
  CHECK(said.find("may work in " + (world.root / "more").string()) != std::string::npos);
  CHECK(said.find("no folder nowhere") != std::string::npos);
  CHECK(said.find("deny Edit(secret/**)") != std::string::npos);
  CHECK(said.find(R"(changed {"microAt":0.5})") != std::string::npos);
  CHECK(said.find("Only compression settings") != std::string::npos);
  bool listed = false;
  for (const Event& event : world.events)
    if (const auto* page = std::get_if<Page>(&event)) listed = listed || page->text.find("Edit(secret/**)") != std::string::npos;
  CHECK(listed);
}
