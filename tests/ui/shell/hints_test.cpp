// What is said for a moment: where it is read, and that it promises no more than is known.
#include "tests/ui/world.h"

using namespace tern;

TEST_CASE("a copy that only the terminal may make is not told as made") {
  World world;
  world.shell.desktop_clipboard = false;
  world.shell.copy("text");
  CHECK(world.shell.hint.text == "copied 4 bytes through the terminal, if it allows that");
  world.shell.desktop_clipboard = true;
  world.shell.copy("text");
  CHECK(world.shell.hint.text == "copied 4 bytes");
}

TEST_CASE("a hint goes when a page covers what it was about") {
  World world;
  world.story();
  world.press("ctrl-t");
  CHECK(world.look(80, 24).find("no tasks yet") != std::string::npos);
  world.type("?");
  const std::string page = world.look(80, 24);
  INFO(page);
  CHECK(page.find("no tasks yet") == page.npos);
}

TEST_CASE("the unfolded transcript says that it is one, and its mark of the end covers no text") {
  World world;
  world.story();
  const std::string chat = world.look(80, 24);
  world.press("ctrl-o");
  world.press("pageup");
  const std::string unfolded = world.look(80, 24);
  INFO(unfolded);
  CHECK(chat.find("transcript, unfolded") == chat.npos);
  CHECK(unfolded.find("── transcript, unfolded ─") != unfolded.npos);
  const std::size_t mark = unfolded.find("↓ end");
  REQUIRE(mark != unfolded.npos);
  const std::size_t line = unfolded.rfind('\n', mark) + 1;
  CHECK(unfolded.substr(line).starts_with("── transcript, unfolded "));
}
