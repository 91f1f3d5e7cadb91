#include <catch2/catch_test_macros.hpp>

#include "tests/ui/world.h"

using namespace tern;

namespace {
void click(World& world, int x, int y) {
  handle_input(world.shell, Mouse{Mouse::What::press, x, y});
  handle_input(world.shell, Mouse{Mouse::What::release, x, y});
}
}  // namespace

TEST_CASE("a click into the prompt places the cursor, also on a wrapped row and on wide letters") {
  World world;
  world.shell.composer.set("one two\n三四 five");
  world.look(60, 20);
  const ComposerBox box = world.shell.composer_box;
  REQUIRE(box.rows == 2);
  click(world, box.left + 4, box.top);
  CHECK(world.shell.composer.caret() == 4);
  click(world, box.left + 50, box.top);
  CHECK(world.shell.composer.caret() == 7);
  click(world, box.left + 2, box.top + 1);
  CHECK(world.shell.composer.caret() == 8 + 3);
  click(world, box.left, box.top + 1);
  CHECK(world.shell.composer.caret() == 8);
}

TEST_CASE("behind the sign of a shell line a click still finds its letter") {
  World world;
  world.type("!make");
  world.look(60, 20);
  const ComposerBox box = world.shell.composer_box;
  click(world, box.left + 2, box.top);
  CHECK(world.shell.composer.raw().substr(world.shell.composer.caret()) == "ke");
}

TEST_CASE("a paste that was sent stays a chip, and unfolded it is all there") {
  World world;
  std::string paste;
  for (int i = 0; i < 40; ++i) paste += "line " + std::to_string(i) + "\n";
  world.shell.composer.insert("Look: ");
  handle_input(world.shell, Paste{paste});
  const std::string sent = world.shell.composer.text();
  world.shell.submit(When::steer);
  world.user(sent);
  const std::string picture = world.look(80, 30);
  CHECK(picture.find("Look: [Pasted 40 lines]") != picture.npos);
  CHECK(picture.find("line 3") == picture.npos);
  world.shell.view.cells.back().unfolded = true;
  CHECK(world.look(80, 60).find("line 39") != std::string::npos);
}

TEST_CASE("a key unfolds the newest result in its place, and folds it again") {
  World world;
  world.tool("Bash", "seq 30", "", "first\n2\n3\n4\n5\n6\n7\n8\n9\nlast\n");
  world.answer("Done.");
  CHECK(world.look(80, 40).find("first") == std::string::npos);
  world.press("alt-o");
  CHECK(world.look(80, 40).find("first") != std::string::npos);
  world.press("alt-o");
  CHECK(world.look(80, 40).find("first") == std::string::npos);
}
