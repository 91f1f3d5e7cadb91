// Pictures in the prompt: dropped, pasted by path, from the clipboard, and what is sent of them.
#include "ui/terminal/picture.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <latch>

#include "tests/support/temp_dir.h"
#include "tests/ui/world.h"

using namespace tern;
using tern::test::TempDir;
namespace fs = std::filesystem;

namespace {

std::string png(int width, int height) {
  std::string bytes("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", 16);
  for (const int number : {width, height})
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xFF);
  return bytes + "rest";
}

std::string put(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

struct Pictures : World {
  TempDir folder;
  Pictures() { deps.cwd = deps.home = folder.path().string(); }
  void paste(std::string text) { handle_input(shell, Paste{std::move(text)}); }
  std::string prompt() {
    std::string all;
    for (const Row& row : bottom_part(shell, {80, 24}).rows) all += row.text + "\n";
    return all;
  }
};

struct Variable {
  std::string name, before;
  Variable(const char* variable, const std::string& value) : name(variable) {
    if (const char* old = getenv(variable)) before = old;
    setenv(variable, value.c_str(), 1);
  }
  ~Variable() { before.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), before.c_str(), 1); }
};

}  // namespace

TEST_CASE("a picture whose path is pasted is a chip, and its bytes are sent") {
  Pictures world;
  const std::string path = put(world.folder.path() / "a shot.png", png(640, 480));
  for (const std::string& pasted :
       {path, "'" + path + "' ", "file://" + world.folder.path().string() + "/a%20shot.png\n",
        std::string("~/a\\ shot.png")}) {
    INFO(pasted);
    world.paste(pasted);
    world.type("what is this?");
    INFO(world.prompt());
    CHECK(world.prompt().find("❯ [Image 640x480 png] what is this?") != std::string::npos);
    world.press("enter");
    const auto sent = world.sent<Submit>();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].text == "@\"a shot.png\" what is this?");
    REQUIRE(sent[0].attachments.size() == 1);
    CHECK(sent[0].attachments[0].media_type == "image/png");
    CHECK(sent[0].attachments[0].bytes == png(640, 480));
  }
}

TEST_CASE("a path that is no picture, or a text about one, is pasted as it is") {
  Pictures world;
  const std::string notes = put(world.folder.path() / "notes.png", "not a picture");
  const std::string shot = put(world.folder.path() / "shot.png", png(8, 8));
  for (const std::string& text :
       {notes, "look at " + shot, std::string("/etc/passwd"), shot + "\n" + notes, "'" + shot}) {
    world.shell.composer.set("");
    world.paste(text);
    INFO(text);
    CHECK(world.shell.composer.text() == text);
    CHECK(world.prompt().find("[Image") == std::string::npos);
  }
}

TEST_CASE("several that are dropped at once are as many chips") {
  Pictures world;
  const std::string one = put(world.folder.path() / "one.png", png(8, 8)),
                    two = put(world.folder.path() / "two.png", png(9, 9));
  world.paste("'" + one + "' '" + two + "' ");
  CHECK(world.prompt().find("[Image 8x8 png] [Image 9x9 png]") != std::string::npos);
  world.press("enter");
  CHECK(world.sent<Submit>().at(0).attachments.size() == 2);
}

TEST_CASE("a chip of a picture outlives the history and says when its file is gone") {
  Pictures world;
  const std::string path = put(world.folder.path() / "shot.png", png(640, 480));
  world.paste(path);
  world.press("ctrl-c");
  world.press("up");
  CHECK(world.prompt().find("[Image 640x480 png]") != std::string::npos);
  const std::string saved = world.shell.composer.saved();
  fs::remove(path);
  world.shell.composer.restore(saved);
  CHECK(world.prompt().find("[Image gone: shot.png]") != std::string::npos);
}

TEST_CASE("a model that takes no pictures gets the name only, and the person is told") {
  Pictures world;
  Meters meters;
  meters.model = "words-only";
  meters.images = false;
  world.tell(meters);
  world.paste(put(world.folder.path() / "shot.png", png(640, 480)));
  CHECK(world.prompt().find("words-only can't read pictures") != std::string::npos);
  world.press("enter");
  CHECK(world.sent<Submit>().at(0).attachments.empty());
}

TEST_CASE("a picture that is too large is not sent in silence") {
  Pictures world;
  const std::string path = put(world.folder.path() / "large.png", png(8, 8) + std::string(33u << 20, 'x'));
  world.paste(path);
  world.press("enter");
  CHECK(world.sent<Submit>().at(0).attachments.empty());
  CHECK(world.look(80, 24).find("large.png is larger than") != std::string::npos);
}

TEST_CASE("ctrl-v asks the desktop's tool for a picture, or says what is missing") {
  Pictures world;
  const Variable path("PATH", world.folder.path().string()), wayland("WAYLAND_DISPLAY", "wayland-0"),
      x("DISPLAY", "");
  world.deps.state_dir = world.folder.path().string();
  const auto ask = [&] {
    std::latch came(1);
    Shell shell(world.deps, builtin_commands(), [&] { came.count_down(); });
    shell.now_ms = 100'000;
    KeyPress key;
    REQUIRE(parse_key_name("ctrl-v", key));
    handle_input(shell, key);
    came.wait();
    shell.clipboard_came();
    return shell.hint.text + shell.composer.text();
  };
  CHECK(ask().find("install wl-paste") != std::string::npos);
  const auto tool = [&](const std::string& script) {
    put(world.folder.path() / "wl-paste", "#!/bin/sh\n" + script);
    fs::permissions(world.folder.path() / "wl-paste", fs::perms::owner_all);
  };
  tool("exit 1\n");
  CHECK(ask().find("there is no picture on the clipboard") != std::string::npos);
  put(world.folder.path() / "clip.png", png(320, 200));
  tool("while IFS= read -r line; do :; done\n/bin/cat '" + world.folder.path().string() + "/clip.png'\n");
  const std::string text = ask();
  INFO(text);
  CHECK(text.find("@\"picture-") != std::string::npos);
  const auto files = mentioned_files(text);
  REQUIRE(files.size() == 1);
  CHECK(fs::file_size(world.folder.path() / files[0]) == png(320, 200).size());
  CHECK((fs::status(world.folder.path() / files[0]).permissions() & fs::perms::others_read) ==
        fs::perms::none);
  const Variable none("WAYLAND_DISPLAY", "");
  CHECK(ask().find("no clipboard here") != std::string::npos);
}

TEST_CASE("ctrl-x ctrl-e opens the editor, and ctrl-x alone does nothing") {
  World world;
  world.type("draft");
  world.press("ctrl-x");
  world.type("e");
  CHECK_FALSE(world.shell.edit_externally);
  CHECK(world.shell.composer.text() == "drafte");
  world.press("ctrl-x");
  world.press("ctrl-e");
  CHECK(world.shell.edit_externally);
  CHECK(world.shell.composer.text() == "drafte");
}
