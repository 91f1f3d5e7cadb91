// Lists whose rows act.
#include "tests/ui/world.h"

using namespace tern;

namespace {

ListShown task_list() {
  return {ListShown::What::tasks,
          "Background commands",
          "no background commands",
          {{"bash_1", "running · 3 s", "npm run dev"}, {"bash_2", "exit 0 · 9 s", "make"}}};
}

}  // namespace

TEST_CASE("enter opens a row of a list, and esc comes back to it") {
  World world;
  world.tell(task_list());
  CHECK_GOLDEN("list_tasks", world.look(80, 16));
  world.press("down");
  world.press("enter");
  auto asked = world.sent<AskTaskOutput>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == "bash_2");
  world.tell(Page{"bash_2", "all built"});
  CHECK(world.look(80, 16).find("all built") != std::string::npos);
  CHECK(world.look(80, 16).find("esc back") != std::string::npos);
  world.press("escape");
  const std::string screen = world.look(80, 16);
  INFO(screen);
  CHECK(screen.find("❯ bash_2") != screen.npos);
  world.press("escape");
  CHECK_FALSE(world.shell.overlay);
}

TEST_CASE("what destroys is struck twice") {
  World world;
  world.tell(task_list());
  world.type("d");
  CHECK(world.sent<StopJob>().empty());
  CHECK(world.look(80, 16).find("d once more to end it") != std::string::npos);
  world.press("down");  // anything else keeps it
  world.type("d");
  CHECK(world.sent<StopJob>().empty());
  world.type("d");
  CHECK(world.sent<StopJob>().empty());  // at once: a word with "dd", or a key held down
  world.shell.now_ms += 300;
  world.type("d");
  const auto stopped = world.sent<StopJob>();
  REQUIRE(stopped.size() == 1);
  CHECK(stopped[0].id == "bash_2");
}

TEST_CASE("a list filters by name and searches inside") {
  World world;
  world.tell(ListShown{ListShown::What::originals,
                       "Originals",
                       "",
                       {{"r1", "Read a.cpp", "12 bytes"}, {"r2", "Bash make", "9 bytes"}}});
  world.type("/make");
  CHECK(world.look(80, 16).find("Read a.cpp") == std::string::npos);
  world.press("enter");
  const auto asked = world.sent<SearchOriginals>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].text == "make");
}

TEST_CASE("one long text leaves room for the notes of the others") {
  World world;
  world.tell(
      ListShown{ListShown::What::originals,
                "Originals",
                "",
                {{"r1", "Read  src/tokenizer.py", "1  class Tokenizer"},
                 {"r2", "Grep  eof", "Found 2 files"},
                 {"r3", "Bash  make", "all built"},
                 {"r4", "Bash  python3 -c 'print(1)' && cmake --build build --target all_of_it", "1"}}});
  const std::string screen = world.look(80, 16);
  INFO(screen);
  CHECK(screen.find("class Tokenizer") != screen.npos);
  CHECK(screen.find("Found 2 files") != screen.npos);
}

TEST_CASE("a setting is edited where one types") {
  World world;
  world.tell(ListShown{ListShown::What::settings, "Configuration", "", {{"theme", "\"auto\"", "colours"}}});
  world.press("enter");
  CHECK_FALSE(world.shell.overlay);
  CHECK(world.shell.composer.text() == "/config theme \"auto\"");
}

TEST_CASE("the help of a setting that is cut in its row is below the list, in full") {
  World world;
  const std::string help =
      "context window in tokens; 0 = the one that the model's provider tells, or that the table of models "
      "has";
  ListShown list{ListShown::What::settings, "Configuration", "", {{"theme", "\"auto\"", "colours"}}};
  list.rows.push_back({"window", "0", help});
  for (int i = 0; i < 30; ++i) list.rows.push_back({"key" + std::to_string(i), "0", "a number"});
  world.tell(list);
  const auto on_screen = [&](int columns, int lines) {  // without frames and line ends
    std::string text;
    for (const char c : world.look(columns, lines))
      if (c == '\n' || c == ' ') {
        if (!text.ends_with(' ')) text += ' ';
      } else if (static_cast<unsigned char>(c) < 0x80) {
        text += c;
      }
    return text;
  };
  CHECK(on_screen(80, 24).find(help) == std::string::npos);
  const std::string before = world.look(80, 24);
  world.press("down");
  CHECK(on_screen(80, 24).find("window 0 " + help) != std::string::npos);
  CHECK_GOLDEN("list_settings", world.look(80, 24));
  CHECK(std::count(before.begin(), before.end(), '\n') == 24);
  const std::string small = world.look(40, 12);
  INFO(small);
  CHECK(small.find("❯ window") != std::string::npos);
}

TEST_CASE("an empty list is one sentence") {
  World world;
  ListShown none = task_list();
  none.rows.clear();
  world.tell(none);
  CHECK_FALSE(world.shell.overlay);
  CHECK(world.look(80, 16).find("no background commands") != std::string::npos);
}
