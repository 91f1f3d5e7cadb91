// The prompt in its shell: what counts as a sign, what stays a chip, what the history and its search do to a
// draft.
#include "tests/ui/world.h"

using namespace tern;

namespace {

const std::string long_text = "! rm -rf build\none\ntwo\nthree\nfour\n";

std::string drawn(World& world) {
  std::string all;
  for (const Row& row : bottom_part(world.shell, {80, 24}).rows) all += row.text + "\n";
  return all;
}

void paste(World& world, std::string text) { handle_input(world.shell, Paste{std::move(text)}); }

}  // namespace

TEST_CASE("a pasted text is a prompt, whatever it begins with") {
  for (const std::string text : {"!rm -rf build", "# remember this", "/clear", "!!ls"}) {
    World world;
    paste(world, text);
    INFO(drawn(world));
    CHECK(drawn(world).find("❯ " + text) != std::string::npos);
    CHECK(drawn(world).find("pasted text is sent as text: type the ") != std::string::npos);
    CHECK(drawn(world).find(text[0] == '#' ? "yourself to note it" : "yourself to run it") !=
          std::string::npos);
    world.press("enter");
    const auto commands = world.commands.drain();
    REQUIRE(commands.size() == 1);
    REQUIRE(std::holds_alternative<Submit>(commands[0]));
    CHECK(std::get<Submit>(commands[0]).text == text);
  }
  World world;
  paste(world, long_text);
  world.press("enter");
  REQUIRE(world.sent<Submit>().size() == 1);
}

TEST_CASE("a typed sign counts also before a paste") {
  World world;
  world.type("!");
  paste(world, "make test");
  CHECK(drawn(world).find("! make test") != std::string::npos);
  world.press("enter");
  CHECK(world.sent<ShellLine>().at(0).command == "make test");
  paste(world, "make test");
  world.press("home");
  world.type("!");
  world.press("enter");
  CHECK(world.sent<ShellLine>().size() == 1);
}

TEST_CASE("a pasted sign stays pasted when it is undone and redone") {
  World world;
  paste(world, "!make");
  world.press("ctrl-u");
  world.press("ctrl-_");
  CHECK(world.shell.composer.text() == "!make");
  world.press("enter");
  CHECK(world.sent<ShellLine>().empty());
}

TEST_CASE("a chip stays a chip on every way back") {
  World world;
  world.shell.history.add("older");
  world.type("see ");
  paste(world, long_text);
  const auto whole = [&] {
    INFO(drawn(world));
    CHECK(drawn(world).find("see [Pasted 5 lines]") != std::string::npos);
    CHECK(world.shell.composer.text() == "see " + long_text);
  };
  whole();
  world.press("up");
  CHECK(world.shell.composer.text() == "older");
  world.press("down");
  whole();
  world.press("ctrl-r");
  world.type("old");
  world.press("escape");
  whole();
  world.press("ctrl-c");
  world.press("up");
  whole();
  world.shell.composer.set(world.shell.composer.text());  // as the editor gives it back
  whole();
  world.shell.view.taken_back = {"first " + long_text};
  open_pages(world.shell);
  CHECK(drawn(world).find("first [Pasted 5 lines]") != std::string::npos);
  CHECK(drawn(world).find("see [Pasted 5 lines]") != std::string::npos);
}

TEST_CASE("a search without a hit shows and takes the draft") {
  World world;
  world.shell.history.add("run the tests");
  world.type("draft");
  world.press("ctrl-r");
  world.type("run");
  CHECK(world.shell.composer.text() == "run the tests");
  world.type("xyz");
  CHECK(world.shell.composer.text() == "draft");
  CHECK(drawn(world).find("no prompt matches") != std::string::npos);
  for (int i = 0; i < 3; ++i) world.press("backspace");
  CHECK(world.shell.composer.text() == "run the tests");
  CHECK(drawn(world).find("no prompt matches") == std::string::npos);
  world.press("ctrl-r");
  CHECK(world.shell.composer.text() == "run the tests");
  world.type("xyz");
  world.press("enter");
  CHECK(world.shell.composer.text() == "draft");
  CHECK(world.sent<Submit>().empty());
}

TEST_CASE("what cannot be seen in the prompt is shown as in the transcript") {
  World world;
  paste(world,
        "a\xE2\x80\x8B"
        "b \xE2\x80\xAE"
        "c");
  CHECK(drawn(world).find("a⟨U+200B⟩b ⟨U+202E⟩c") != std::string::npos);
  CHECK(world.shell.composer.text() ==
        "a\xE2\x80\x8B"
        "b \xE2\x80\xAE"
        "c");
  world.press("left");
  const Bottom bottom = bottom_part(world.shell, {80, 24});
  CHECK(bottom.caret.x == 4 + 19);
}

TEST_CASE("the caret stands behind the last letter of a full row") {
  for (const int columns : {80, 20}) {
    World world;
    world.type(std::string(static_cast<std::size_t>(columns == 80 ? 74 : 17), 'x'));
    const Bottom bottom = bottom_part(world.shell, {columns, 24});
    CHECK(bottom.caret.x == (columns == 80 ? 78 : 19));
    CHECK(bottom.caret.x < columns);
  }
}

TEST_CASE("vi's normal mode inserts nothing") {
  World world;
  world.shell.composer.set_vi(true);
  world.shell.history.add("older");
  world.type("draft");
  world.press("escape");
  for (const std::string_view key : {"中", "é", "j", "?", "~"}) world.press(key);
  CHECK(world.shell.composer.text() == "draft");
  world.press("k");
  CHECK(world.shell.composer.text() == "older");
  world.press("j");
  CHECK(world.shell.composer.text() == "draft");
}

TEST_CASE("with vi keys the first esc interrupts, too") {
  World world;
  world.shell.composer.set_vi(true);
  world.tell(TurnStarted{1});
  world.type("draft");
  world.press("escape");
  CHECK(world.interrupted);
  CHECK(world.shell.composer.normal_mode());
  CHECK(world.shell.composer.text() == "draft");
}
