#include "agent/protocol/inbox.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <thread>

using namespace tern;

namespace {

struct World {
  Mailbox<Command> commands;
  std::vector<std::string> heard;
  Inbox inbox{commands, [](Event) {}};
  World() {
    inbox.set_news([this](const Wake& news) { heard.push_back(std::get<JobEnded>(news).id); });
  }
};

}  // namespace

TEST_CASE("news are heard while a helper works and while nothing comes from people") {
  World world;
  world.inbox.attend([&] {
    world.inbox.wake(JobEnded{"in a turn", {}, {}});
    world.inbox.on_owner([&] { CHECK(world.heard == std::vector<std::string>{"in a turn"}); });
  });
  const std::jthread teller([&] {
    world.inbox.wake(JobEnded{"between turns", {}, {}});
    world.commands.push(Quit{});
  });
  CHECK(world.inbox.next());
  world.inbox.drain();
  CHECK(world.heard == std::vector<std::string>{"in a turn", "between turns"});
}

TEST_CASE("what a helper hands over runs on the owner's thread, and its fault comes back to the helper") {
  World world;
  std::thread::id ran;
  bool told = false;
  const auto work = [&] {
    world.inbox.on_owner([&] { ran = std::this_thread::get_id(); });
    try {
      world.inbox.on_owner([] { throw std::runtime_error("no"); });
    } catch (const std::runtime_error&) {
      told = true;
    }
  };
  for (const bool attending : {true, false}) {
    world.inbox.set_attending(attending);
    ran = {};
    told = false;
    world.inbox.attend(work);
    CHECK(ran == std::this_thread::get_id());
    CHECK(told);
  }
}

TEST_CASE("a helper is served although nobody can type any more, and although an answer fails") {
  World world;
  world.inbox.set_live([](Command&) -> bool { throw std::logic_error("an answer of ours"); });
  bool served = false;
  world.commands.push(Quit{});
  world.commands.close();
  CHECK_THROWS_AS(world.inbox.attend([&] { world.inbox.on_owner([&] { served = true; }); }),
                  std::logic_error);
  CHECK(served);
  CHECK_FALSE(world.inbox.next());
}
