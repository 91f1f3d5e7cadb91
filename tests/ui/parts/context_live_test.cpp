// The context panel follows the meters while it is open.
#include "tests/ui/world.h"

using namespace tern;

namespace {

ContextReport report(World& world, std::string draft, bool again = false) {
  ContextReport made;
  made.meters = world.shell.view.meters;
  made.lines = {std::move(draft)};
  made.again = again;
  return made;
}

bool shows(World& world, std::string_view text) { return world.look(80, 40).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("an open context panel asks anew when the meters moved, once, and keeps its place") {
  World world;
  world.meters(0.61);
  world.tell(report(world, "draft: being written"));
  CHECK(shows(world, "draft: being written"));
  CHECK(world.sent<AskContext>().empty());
  world.meters(0.65);
  world.tell(Compaction{.phase = CompactionPhase::started, .tier = Tier::compact});
  const auto asked = world.sent<AskContext>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].again);
  world.shell.overlay->top = 3;
  world.tell(report(world, "draft: ready", true));
  CHECK(world.shell.overlay->top == 3);
  CHECK(world.sent<AskContext>().size() == 1);  // what came while the answer was on its way
  world.tell(report(world, "draft: none", true));
  CHECK(shows(world, "draft: none"));
  CHECK(world.sent<AskContext>().empty());
}

TEST_CASE("an answer for a panel that was closed opens none, and other panels ask for nothing") {
  World world;
  world.meters(0.61);
  world.tell(report(world, "draft: none"));
  world.meters(0.65);
  world.press("escape");
  world.tell(report(world, "draft: ready", true));
  CHECK_FALSE(world.shell.overlay);
  world.sent<AskContext>();
  world.tell(Page{"Cost", "requests 3\n"});
  world.meters(0.7);
  CHECK(world.sent<AskContext>().empty());
}
