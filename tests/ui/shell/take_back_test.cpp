// The newest prompt taken back with its file changes, in one key or as a chord.
#include "tests/ui/world.h"

using namespace tern;

TEST_CASE("alt-z and ctrl-x u take the newest prompt and its file changes back") {
  World world;
  world.user("the first");
  world.answer("Done.");
  world.user("the second");
  world.answer("Done.");
  const auto taken_back = [&] {
    const auto sent = world.sent<Rewind>();
    return sent.size() == 1 && sent[0].item == ItemId{3} && sent[0].conversation && sent[0].files &&
           !sent[0].preview;
  };
  world.press("alt-z");
  CHECK(taken_back());
  world.press("ctrl-x");
  world.type("u");
  CHECK(taken_back());
  CHECK(world.shell.composer.empty());
  world.type("u");  // the chord is over
  CHECK(world.shell.composer.text() == "u");
  CHECK(world.sent<Rewind>().empty());
}

TEST_CASE("nothing is taken back from a turn that works, or where there is no prompt") {
  World world;
  world.press("alt-z");
  CHECK(world.shell.hint.text == "no prompt to take back");
  world.user("fix it");
  world.tell(TurnStarted{1});
  world.press("alt-z");
  CHECK(world.shell.hint.text == "esc stops the turn first");
  CHECK(world.sent<Rewind>().empty());
}
