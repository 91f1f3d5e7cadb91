// Searching and pasting while something is read: every hit is reached and shown, no line is hidden, no paste
// is lost.
#include "tests/ui/world.h"
#include "ui/parts/text_search.h"

using namespace tern;

namespace {

std::string numbered(int n, std::initializer_list<int> needles) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += "row " + std::to_string(i);
    for (const int k : needles) text += k == i ? " needle" : "";
    text += '\n';
  }
  return text;
}

// The lines of the picture that show the current hit: those with inverted cells.
std::vector<std::size_t> inverted(World& world) {
  Canvas canvas;
  draw(world.shell, {80, 24}, canvas);
  std::vector<std::size_t> lines;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 80; ++x)
      if (canvas.screen().PixelAt(x, y).inverted) {
        lines.push_back(static_cast<std::size_t>(y));
        break;
      }
  return lines;
}

}  // namespace

TEST_CASE("a search in the transcript reaches every hit, also those on the screen") {
  World world;
  for (int i = 0; i < 12; ++i)
    world.answer(i % 4 == 1 ? "a needle " + std::to_string(i) : "line " + std::to_string(i));
  world.look(80, 24);
  world.press("ctrl-o");
  const std::string before = world.look(80, 24);
  world.type("/needle");
  world.press("enter");
  std::vector<std::vector<std::size_t>> seen{inverted(world)};
  CHECK(world.shell.transcript
            .following());  // all of it is on the screen: nothing moves, no way to the end is shown
  CHECK(world.look(80, 24).find("↓ end") == std::string::npos);
  for (int i = 0; i < 2; ++i) {
    world.type("n");
    seen.push_back(inverted(world));
  }
  for (const auto& lines : seen) CHECK(lines.size() == 1);
  CHECK(seen[0] > seen[1]);
  CHECK(seen[1] > seen[2]);
  world.type("N");
  CHECK(inverted(world) == seen[1]);
  world.type("N");
  CHECK(inverted(world) == seen[0]);
  world.press("escape");
  CHECK(inverted(world).empty());
}

TEST_CASE("a search on a page reaches every hit, marks it and says when there is none") {
  World world;
  world.shell.page({"page", numbered(100, {5, 7, 95, 98})});
  world.look(80, 24);
  world.type("/needle");
  world.press("enter");
  std::vector<std::string> hits;
  for (int i = 0; i < 4; ++i, world.type("n")) {
    const std::string screen = world.look(80, 24);
    const auto lines = inverted(world);
    REQUIRE(lines.size() == 1);
    std::size_t at = 0;
    for (std::size_t y = 0; y < lines[0]; ++y) at = screen.find('\n', at) + 1;
    at += std::string_view("│ ").size();
    hits.push_back(screen.substr(at, screen.find(" needle", at) - at));
  }
  CHECK(hits == std::vector<std::string>{"row 5", "row 7", "row 95", "row 98"});
  CHECK(world.look(80, 24).find("hit 1 of 4") != std::string::npos);
  world.type("/nothing");
  world.press("enter");
  CHECK(world.look(80, 24).find("not found: nothing") != std::string::npos);
}

TEST_CASE("pages show markdown and diffs as the transcript does") {
  World world;
  world.shell.page({"Summaries", "## First\n\n- **bold** item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
                    Page::Form::markdown});
  std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("##") == screen.npos);
  CHECK(screen.find("**") == screen.npos);
  CHECK(screen.find("• bold item") != screen.npos);
  world.shell.page({"Changes",
                    "--- a.cpp  +1 −1\n@@ -1,2 +1,2 @@\n int a;\n-int b;\n+int c;\n\n--- b.txt  +1 −0\n@@ "
                    "-0,0 +7,1 @@\n+new\n",
                    Page::Form::diffs});
  screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("a.cpp  +1 −1") != screen.npos);
  CHECK(screen.find("2 − int b;") != screen.npos);
  CHECK(screen.find("2 + int c;") != screen.npos);
  CHECK(screen.find("b.txt  +1 −0") != screen.npos);
  CHECK(screen.find("7 + new") != screen.npos);
}

TEST_CASE("the first screen names the model as soon as it is known, and the demo by its name") {
  World world;
  CHECK(world.look(80, 24).find("claude") == std::string::npos);
  Meters meters;
  meters.provider = "anthropic";
  meters.model = "claude-sonnet-4-5";
  world.tell(meters);
  CHECK(world.look(80, 24).find("claude-sonnet-4-5 · anthropic") != std::string::npos);
  meters.provider = "demo";
  world.tell(meters);
  CHECK(world.look(80, 24).find("Demo: scripted replies") != std::string::npos);
}

TEST_CASE("the way to the end hides no line") {
  World world;
  for (int i = 0; i < 100; ++i) world.answer("line " + std::to_string(i));
  world.look(80, 24);
  world.press("shift-up");
  const std::string screen = world.look(80, 24);
  CHECK(screen.find("  line 98") != std::string::npos);
  CHECK(screen.find("↓ end") != std::string::npos);
}

TEST_CASE("a paste goes into the query being typed, else into the prompt") {
  World world;
  world.shell.history.add("run the tests");
  const auto paste = [&](std::string text) { handle_input(world.shell, Paste{std::move(text)}); };
  world.press("ctrl-r");
  paste("the tes");
  CHECK(world.shell.composer.text() == "run the tests");
  world.press("enter");
  world.press("ctrl-u");
  world.shell.page({"page", numbered(100, {50})});
  world.look(80, 24);
  world.type("/");
  paste("row 77\nrow 78");
  world.press("enter");
  CHECK(world.look(80, 24).find("row 77") != std::string::npos);
  paste("kept");
  world.press("escape");
  CHECK(world.shell.composer.text() == "kept");
}

TEST_CASE("what is typed into a query is shown safely") {
  World world;
  world.shell.page({"page", "text"});
  world.type("/");
  handle_input(world.shell, Paste{"\xe2\x80\xae"
                                  "evil"});
  CHECK(world.look(80, 24).find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("after going back the prompt stands in the composer once, and only when the worker gave it back") {
  World world;
  world.shell.view.rewind = {{ItemId{3}, "new prompt", "10:01", 0}};
  open_pages(world.shell);
  world.press("enter");
  world.press("enter");
  REQUIRE(world.sent<Rewind>().size() == 1);
  CHECK(world.shell.composer.empty());
  world.tell(TakenBack{{"new prompt"}});
  CHECK(world.shell.composer.text() == "new prompt");
}

TEST_CASE("rows are selected with keys, from the last hit on, and copied without ornament") {
  World world;
  for (int i = 0; i < 100; ++i) world.answer("line " + std::to_string(i));
  world.look(80, 24);
  world.press("ctrl-o");
  world.look(80, 24);
  world.type("/line 50");
  world.press("enter");
  world.look(80, 24);
  world.type("vjjk");
  CHECK(world.look(80, 24).find("y copy") != std::string::npos);
  world.type("y");
  CHECK(world.shell.to_clipboard == "line 50\nline 51");
  CHECK(world.look(80, 24).find("copied 15 bytes") != std::string::npos);
  world.type("vk");
  world.type("bbb");  // beyond the screen: it follows
  CHECK(world.look(80, 24).find("line 50") == std::string::npos);
  world.press("escape");
  CHECK(world.shell.transcript.selected().empty());
  CHECK(world.shell.transcript_view);
  world.press("escape");
  CHECK_FALSE(world.shell.transcript_view);
}

TEST_CASE("a page of diffs ends with its last line, and a file without hunks is a line") {
  World world;
  world.tell(Page{"Rewind to: go",
                  "--- a.txt  would be left alone: it changed since\n--- b.txt  would be removed  +0 −1\n@@ "
                  "-1 +0,0 @@\n-last words\n\n",
                  Page::Form::diffs});
  REQUIRE(world.shell.overlay);
  const Rows rows = world.shell.overlay->content(60);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].text == "a.txt  would be left alone: it changed since");
  CHECK(rows[2].text == "b.txt  would be removed  +0 −1");
  CHECK(rows[3].text.find("last words") != std::string::npos);
}
