// The pointer on a page that lies over the transcript: dragging chooses and copies, a click in a list
// chooses.
#include "ui/parts/selection.h"

#include "tests/ui/world.h"
#include "ui/parts/rows.h"
#include "ui/text/width.h"

using namespace tern;

namespace {

using Pointer = Mouse::What;

void point(World& world, Pointer what, int x, int y) {
  handle_input(world.shell, Mouse{.what = what, .x = x, .y = y});
}

// Where a text stands on the screen, in columns of plain letters.
std::pair<int, int> seen_at(World& world, std::string_view text) {
  std::string look = world.look(60, 24);
  for (int y = 0; !look.empty(); ++y) {
    const std::string line = look.substr(0, look.find('\n'));
    if (const std::size_t x = line.find(text); x != line.npos) return {width(line.substr(0, x)), y};
    look.erase(0, std::min(line.size() + 1, look.size()));
  }
  FAIL("not on the screen: " << text);
  return {};
}

}  // namespace

TEST_CASE("a drag on a page copies what lies between, wrapped lines as one") {
  World world;
  std::string lines = "alpha beta gamma\n";
  for (int i = 0; i < 20; ++i) lines += "word" + std::to_string(i) + (i < 19 ? " " : "\n");
  world.tell(Page{"Recall: r1", lines + "end of it\n"});
  const auto [x, y] = seen_at(world, "beta");
  point(world, Pointer::press, x, y);
  point(world, Pointer::drag, x + 3, y);
  point(world, Pointer::release, x + 3, y);
  CHECK(world.shell.to_clipboard == "beta");
  CHECK(world.look(60, 24).find("copied 4 bytes") != std::string::npos);
  const auto [end_x, end_y] = seen_at(world, "end of it");
  REQUIRE(end_y > y + 2);  // the long line was wrapped
  point(world, Pointer::press, end_x + 2, end_y);
  point(world, Pointer::drag, x, y);  // backwards
  point(world, Pointer::release, x, y);
  CHECK(world.shell.to_clipboard == "beta gamma\n" + lines.substr(lines.find("word0")) + "end");
  CHECK(world.shell.overlay);  // the page stays
}

TEST_CASE("a drag past the edge of a page scrolls it, a click and a key choose nothing") {
  World world;
  std::string lines;
  for (int i = 1; i <= 99; ++i) lines += "line " + std::to_string(i) + "\n";
  world.tell(Page{"Tools", lines});
  const auto [x, y] = seen_at(world, "line 3");
  point(world, Pointer::press, x, y);
  point(world, Pointer::release, x, y);
  CHECK(world.shell.to_clipboard.empty());
  point(world, Pointer::press, x, y);
  for (int i = 0; i < 30; ++i) point(world, Pointer::drag, x + 5, 23);
  CHECK(world.shell.overlay->top == 30);
  point(world, Pointer::wheel_up, x, y);
  CHECK(world.shell.overlay->top == 27);
  point(world, Pointer::release, x + 5, 23);
  CHECK(world.shell.to_clipboard.starts_with("line 3\nline 4\n"));
  CHECK(world.shell.to_clipboard.find("line 40\n") != std::string::npos);
  const auto painted = [&] {
    for (const Row& row : overlay_rows(*world.shell.overlay, 60, 20))
      for (const Span& span : row.spans)
        if (span.style.bg == Colour::select_tint) return true;
    return false;
  };
  CHECK(painted());
  world.press("down");
  CHECK_FALSE(painted());
  point(world, Pointer::press, 5, 0);  // above the text
  point(world, Pointer::drag, 9, 8);
  CHECK_FALSE(painted());
}

TEST_CASE("a click in a list goes to its row") {
  World world;
  world.tell(SessionList{{{"a1", "first talk", "10:00", "", 2}, {"b2", "second talk", "09:00", "", 3}}});
  const auto [x, y] = seen_at(world, "second talk");
  point(world, Pointer::press, x, y);
  CHECK(world.shell.overlay->selected == 1);
  point(world, Pointer::press, x, y + 5);  // below the last one
  CHECK(world.shell.overlay->selected == 1);
  world.press("enter");
  CHECK(world.sent<Sessions>().at(0).argument == "b2");
}

TEST_CASE("what is chosen of a row leaves its gutter out, also with wide letters") {
  const Row row = RowBuilder().gutter("│ ").add("修好 it").take();
  Rows rows{row};
  RowSelection selection;
  selection.press(rows, 0, 0);  // in the gutter
  selection.drag(rows, 0, 5);   // the right half of 好
  CHECK(selection.text(rows) == "修好");
  selection.clear();
  CHECK(selection.text(rows).empty());
  selection.press({}, 0, 0);
  CHECK_FALSE(selection.dragging());
}
