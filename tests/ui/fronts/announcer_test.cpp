#include "ui/fronts/announcer.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/ui/world.h"

using namespace tern;

namespace {
constexpr TerminalTraits every{.title = true, .progress = true, .notify = NotifyBy::osc9};
}

TEST_CASE("the title tells the conversation and its state, and is written when it changes") {
  World world;
  Announcer announcer({.title = true}, true, "/home/ann/src/parser");
  CHECK(announcer.follow(world.shell.view, true) == "\x1b]0;parser · tern\a");
  CHECK(announcer.follow(world.shell.view, true).empty());
  world.tell(TurnStarted{1});
  CHECK(announcer.follow(world.shell.view, true) == "\x1b]0;◌ parser · tern\a");
  world.tell(PermissionAsked{.id = 1, .title = "Run make"});
  CHECK(announcer.follow(world.shell.view, true) == "\x1b]0;? parser · tern\a");
  world.tell(PermissionSettled{.id = 1});
  world.tell(TurnEnded{});
  CHECK(announcer.follow(world.shell.view, true) == "\x1b]0;parser · tern\a");
  announcer.forget();
  CHECK(announcer.follow(world.shell.view, true) == "\x1b]0;parser · tern\a");
}

TEST_CASE("whoever looks elsewhere is told that a turn ended or a question waits, once") {
  World world;
  Announcer announcer(every, true, "/home/ann/src/parser");
  world.tell(TurnStarted{1});
  announcer.follow(world.shell.view, false);
  world.answer("All **34** tests pass.\nMore.");
  CHECK(announcer.follow(world.shell.view, false).empty());
  world.tell(PermissionAsked{.id = 1, .title = "Run make"});
  const std::string asks = announcer.follow(world.shell.view, false);
  CHECK(asks.find("\x1b]9;parser · tern: Waiting for you: Run make\a") != asks.npos);
  CHECK(asks.find("\x1b]9;4;4;100\a") != asks.npos);
  CHECK(announcer.follow(world.shell.view, false).empty());
  world.tell(PermissionSettled{.id = 1});
  announcer.follow(world.shell.view, false);
  world.tell(TurnEnded{});
  const std::string done = announcer.follow(world.shell.view, false);
  CHECK(done.find("All **34** tests pass.") != done.npos);
  CHECK(done.find("More") == done.npos);
  CHECK(done.find("\x1b]9;4;0;\a") != done.npos);
}

TEST_CASE("whoever looks at the window, or wants no bell, is told nothing") {
  World world;
  Announcer announcer({.notify = NotifyBy::bell}, true, "/src");
  world.tell(TurnStarted{1});
  announcer.follow(world.shell.view, true);
  world.tell(TurnEnded{});
  CHECK(announcer.follow(world.shell.view, true).empty());
  announcer.set_bell(false);
  world.tell(TurnStarted{2});
  announcer.follow(world.shell.view, false);
  world.tell(TurnEnded{});
  CHECK(announcer.follow(world.shell.view, false).empty());
}
