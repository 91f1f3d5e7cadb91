// Narrow and low screens: text is wrapped or ends in an ellipsis, nothing is cut without a sign.
#include "tests/ui/world.h"
#include "ui/commands/builtin_commands.h"
#include "ui/parts/rows.h"
#include "ui/shell/slash_command.h"
#include "ui/text/width.h"

using namespace tern;

namespace {

std::string joined(const Rows& rows) {
  std::string text;
  for (const Row& row : rows) {
    const std::size_t from = row.text.find_first_not_of(' ');
    if (from != row.text.npos) text += row.text.substr(from) + " ";
  }
  return text;
}

std::string one_line(const World& world, const std::string& text, int columns) {
  Canvas canvas;
  canvas.begin(columns, 1);
  canvas.line(0, RowBuilder().add(text).take(), world.shell.theme);
  std::string line = picture(canvas.screen());
  line.pop_back();
  return line;
}

}  // namespace

TEST_CASE("a row wider than the screen ends in an ellipsis") {
  World world;
  CHECK(one_line(world, "exactly ten", 11) == "exactly ten");
  CHECK(one_line(world, "exactly ten", 10) == "exactly t…");
  CHECK(one_line(world, "中文中文中文", 9) == "中文中文…");
  CHECK(one_line(world, "中文中文中文", 8) == "中文中…");
  CHECK(one_line(world, "blanks     ", 8) == "blanks");
}

TEST_CASE("the welcome says all it can on a low screen, and shows where it does not") {
  World world;
  world.deps.welcome = {
      "tern 0.1", "folder: /home/ann/src/a/rather/long/way/down/to/the/parser",
      "everything said and seen is kept in .compression/ and can be called back with /recall",
      "/ commands · @ files · ! shell · ? keys · shift-tab permission mode"};
  world.meters(0.02);
  const std::string low = world.look(40, 12);
  INFO(low);
  for (const std::string_view words :
       {"tern 0.1", "claude-sonnet-4-5", "folder: /h", "…", "the/parser", "/ commands", "permission mode"})
    CHECK(low.find(words) != low.npos);
  const std::string lowest = world.look(40, 8);
  INFO(lowest);
  CHECK(lowest.find("tern 0.1") != lowest.npos);
  CHECK(lowest.find("\n  …\n") != lowest.npos);
  CHECK(world.look(80, 24).find("…") == std::string::npos);
}

TEST_CASE("help is read in full on a narrow screen") {
  World world;
  world.say("/help");
  REQUIRE(world.shell.overlay);
  const std::string text = joined(world.shell.overlay->content(38));
  const CommandSet all = builtin_commands();
  for (const SlashCommand& command : all) {
    INFO(command.name);
    CHECK(text.find(command.help) != text.npos);
    CHECK(text.find(command.aliases) != text.npos);
  }
}

TEST_CASE("a table with more columns than there is room for is told row by row") {
  const std::string table =
      "| name | one | two | three | four | five | six |\n|---|---|---|---|---|---|---|\n"
      "| first | 1 | 2 | 3 | 4 | 5 | the sixth |\n| 第二 | a | b | c | d | e | f |\n";
  for (const int width : {12, 20, 38}) {
    const Rows rows = markdown_rows(table, width);
    INFO(width);
    for (const Row& row : rows) CHECK(tern::width(row.text) <= width);
    const std::string text = joined(rows);
    INFO(text);
    for (const std::string_view words :
         {"name: first", "four: 4", "six: the", "sixth", "name: 第二", "six: f"})
      CHECK(text.find(words) != text.npos);
  }
  CHECK(joined(markdown_rows(table, 78)).find("name: ") == std::string::npos);
}

TEST_CASE("a hint is read in full on a narrow screen") {
  World world;
  world.meters(0.3);
  handle_input(world.shell, Paste{"/compact"});
  const std::string screen = world.look(40, 12);
  INFO(screen);
  CHECK(screen.find("type the /\n yourself to run it") != screen.npos);
}

TEST_CASE("what the keys of a page are is said whole on a narrow screen") {
  World world;
  world.meters(0.3);
  world.tell(Page{"Status", std::string(4'000, 'x')});
  const std::string screen = world.look(40, 12);
  INFO(screen);
  CHECK(screen.find("esc close") != screen.npos);
  CHECK(screen.find("/ commands") == screen.npos);  // the rows of the prompt are the page's
}

TEST_CASE("a remark that has no room beside its line stands below it") {
  World world;
  world.shell.page({"Configuration", "maxTurns   0   default   // requests of one turn; 0 = no limit\n"});
  CHECK(world.look(80, 24).find("default   // requests") != std::string::npos);
  const std::string narrow = world.look(50, 24);
  INFO(narrow);
  CHECK(narrow.find("   default ") != std::string::npos);
  CHECK(narrow.find("│     requests of one turn; 0 = no limit") != std::string::npos);
}

TEST_CASE("how keys are rebound is read in full on a narrow screen") {
  World world;
  world.say("/keys");
  world.look(40, 30);
  world.press("end");
  const std::string seen = world.look(40, 30);
  INFO(seen);
  CHECK(seen.find("\"keys\": {\"transcript\": \"f5\"}") != std::string::npos);
  CHECK(seen.find("others stay") != std::string::npos);
}
