#include "ui/screen.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/tokens.h"
#include "tests/support/golden.h"
#include "ui/keys.h"
#include "ui/modes.h"
#include "ui/status_bar.h"

using namespace tern;

namespace {

struct World {
  Mailbox<Command> commands;
  Mailbox<Event> events;
  bool interrupted = false;
  UiDeps deps{.commands = commands,
              .events = events,
              .interrupt = [this] { interrupted = true; },
              .on_wake = [](std::function<void()>) {},
              .cwd = "/home/ann/src/parser",
              .home = "/home/ann",
              .version = "0.1",
              .list_files = [](std::stop_token) { return std::vector<std::string>{}; },
              .welcome = {"tern", "model demo · ~/src/parser · summaries in .compression/", "/ commands · @ files · ? keys"}};
  Shell shell{deps, [] {}};
  std::uint64_t next_item = 1;

  World() {
    shell.theme = make_theme("dark", ColourDepth::truecolor, Background::dark);
    shell.now_ms = 100'000;
  }
  void tell(Event event) { fold(shell.view, std::move(event), shell.now_ms); }
  void user(std::string text) {
    Item item;
    item.id = {next_item++};
    item.blocks = {Text{std::move(text)}};
    tell(ItemAdded{make_item(item)});
  }
  void answer(std::string text) {
    tell(Delta{DeltaKind::text, text});
    Item item;
    item.id = {next_item++};
    item.role = Role::assistant;
    item.blocks = {Text{std::move(text)}};
    tell(ItemAdded{make_item(item)});
  }
  void tool(std::string name, std::string subject, std::string note, std::string text = "", bool error = false,
            std::string diff = "") {
    const std::string id = "c" + std::to_string(next_item++);
    tell(ToolStarted{id, name, name, subject, "{}"});
    ToolFinished done;
    done.call_id = id;
    done.tool = done.label = name;
    done.subject = subject;
    done.note = note;
    done.text = text;
    done.diff = diff;
    done.is_error = error;
    tell(done);
  }
  void meters(double share, Tokens window = 200'000) {
    Meters m;
    m.model = "claude-sonnet-4-5";
    m.cwd = "/home/ann/src/parser";
    m.branch = "main*";
    m.window = window;
    m.effective = window - 20'000;
    m.used = static_cast<Tokens>(share * static_cast<double>(m.effective));
    m.parts = {
        {"system", m.used / 20}, {"tools", m.used / 20},    {"memory", 0},
        {"user", m.used / 10},   {"assistant", m.used / 5}, {"results", m.used - m.used / 20 * 2 - m.used / 10 - m.used / 5}};
    m.estimated = false;
    m.turns_to_next = 9;
    m.saved = 43'000;
    m.cache_hit = 0.92;
    m.dollars = 0.41;
    m.dollars_known = true;
    tell(m);
  }
  std::string look(int columns, int lines) {
    Canvas canvas;
    draw(shell, {columns, lines}, canvas);
    return picture(canvas.screen());
  }
  void press(std::string_view name) {
    KeyPress key;
    REQUIRE(parse_key_name(name, key));
    handle_input(shell, key);
  }
  void type(std::string_view text) {
    for (const char c : text) {
      KeyPress key;
      key.text = std::string(1, c);
      handle_input(shell, key);
    }
  }
  template <class T>
  std::vector<T> sent() {
    std::vector<T> out;
    for (Command& command : commands.drain())
      if (auto* value = std::get_if<T>(&command)) out.push_back(*value);
    return out;
  }
  void story() {
    meters(0.43);
    user("The tokenizer drops the last line when the file has no newline. Fix it.");
    answer("I'll look at the tokenizer and its tests first.");
    tool("Read", "src/tokenizer.cpp", "412 lines");
    tool("Grep", "\"eof\" in src/", "9 hits in 3 files");
    tool("Bash", "ctest -R tokenizer", "exit 8 · 2.1 s", "Start 12\n1 of 34 failed: tokenizer.no_trailing_newline\n", true);
    tool("Edit", "src/tokenizer.cpp", "+2 −1", "", false,
         "--- a/src/tokenizer.cpp\n+++ b/src/tokenizer.cpp\n@@ -201,3 +201,4 @@\n   if (at_end()) {\n-    return "
         "Token::eof();\n+    if (!line_.empty()) return flush_line();\n+    return Token::eof();\n   }\n");
    Compaction compaction;
    compaction.phase = CompactionPhase::completed;
    compaction.tier = Tier::micro;
    compaction.items = 14;
    compaction.originals = 14;
    compaction.before = 121'000;
    compaction.after = 78'000;
    compaction.audit = "kept 41 of 47 specifics, 6 by recall, 0 lost";
    tell(compaction);
    answer(
        "All **34 tests** pass. The last line was lost because the scanner returned before `flush_line`.\n\n"
        "| case | before | after |\n|---|---|---:|\n| 没有换行 | lost | 1 |\n| CRLF | ok | 1 |\n\n```cpp\nif (!line_.empty()) "
        "return flush_line();  // the fix\n```\n\n- 表情 👍🏽 fine\n- done");
  }
};

#define CHECK_GOLDEN(name, text)                                  \
  do {                                                            \
    const std::string difference = golden_difference(name, text); \
    INFO(difference);                                             \
    CHECK(difference.empty());                                    \
  } while (false)

}  // namespace

TEST_CASE("the conversation at every size") {
  World world;
  world.story();
  CHECK_GOLDEN("screen_80x24", world.look(80, 24));
  CHECK_GOLDEN("screen_120x40", world.look(120, 40));
  CHECK_GOLDEN("screen_200x50", world.look(200, 50));
  CHECK_GOLDEN("screen_40x12", world.look(40, 12));
}

TEST_CASE("the first screen says where one is") {
  World world;
  world.meters(0.02);
  CHECK_GOLDEN("welcome_80x24", world.look(80, 24));
}

TEST_CASE("the dialog shows the whole command and takes no key meant for the prompt") {
  World world;
  world.story();
  PermissionAsked asked;
  asked.id = 7;
  asked.tool = "Bash";
  asked.title = "Run this command?";
  asked.body = "npm run build && rm -rf ./dist";
  asked.reason = "rm -rf deletes files";
  asked.remember = "npm run";
  world.shell.last_key_ms = world.shell.now_ms - 100;
  world.tell(asked);
  world.shell.approval.open(asked, world.shell.now_ms);
  CHECK_GOLDEN("approval_80x24_busy", world.look(80, 24));
  world.type("1");
  CHECK(world.sent<Answer>().empty());
  CHECK(world.shell.composer.text() == "1");
  world.shell.now_ms += 2'000;
  CHECK_GOLDEN("approval_80x24", world.look(80, 24));
  world.type("y");
  CHECK(world.sent<Answer>().empty());
  world.shell.now_ms += 2'000;
  world.look(80, 24);
  world.type("1");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes);
}

TEST_CASE("the dialog keeps its choices on the smallest screen") {
  World world;
  world.shell.approval.open(PermissionAsked{.id = 7,
                                            .tool = "Write",
                                            .title = "Write tern-demo-scratch.txt",
                                            .body = "one\ntwo\nthree\n",
                                            .reason = "it writes tern-demo-scratch.txt and more",
                                            .remember = "Edit(everything below here)"},
                            world.shell.now_ms);
  world.look(40, 12);
  const std::string screen = world.look(40, 12);
  INFO(screen);
  CHECK(screen.find("3. No") != std::string::npos);
}

TEST_CASE("nobody approves what was not shown to the end") {
  World world;
  PermissionAsked asked;
  asked.id = 8;
  asked.title = "Run this command?";
  for (int i = 0; i < 200; ++i) asked.body += "echo line " + std::to_string(i) + "\n";
  asked.body += "rm -rf ~";
  world.tell(asked);
  world.shell.approval.open(asked, world.shell.now_ms);
  world.shell.now_ms += 2'000;
  world.look(80, 24);
  world.type("1");
  CHECK(world.sent<Answer>().empty());
  for (int i = 0; i < 40 && world.shell.approval.is_open(); ++i) {
    world.press("pagedown");
    world.look(80, 24);
  }
  world.type("1");
  CHECK(world.sent<Answer>().size() == 1);
}

TEST_CASE("prompt, command, shell line and note go where they belong") {
  World world;
  world.type("fix it");
  world.press("enter");
  auto submits = world.sent<Submit>();
  REQUIRE(submits.size() == 1);
  CHECK(submits[0].text == "fix it");
  world.type("!make");
  world.press("enter");
  CHECK(world.sent<ShellLine>().size() == 1);
  world.type("# use tabs");
  world.press("enter");
  CHECK(world.sent<MemoryNote>()[0].text == "use tabs");
  world.type("/undo-c 2");
  world.press("enter");
  CHECK(world.sent<UndoCompact>()[0].steps == 2);
  world.type("/compact keep the API");
  world.press("enter");
  CHECK(world.sent<Compact>()[0].focus == "keep the API");
}

TEST_CASE("escape interrupts and asks for the queue back") {
  World world;
  world.tell(TurnStarted{1});
  world.press("escape");
  CHECK(world.interrupted);
  CHECK(world.sent<TakeBack>().size() == 1);
}

TEST_CASE("escape stops a shell line and a compaction too") {
  World world;
  world.tell(ToolStarted{"shell_1", "Bash", "Bash", "sleep 30", "sleep 30"});
  world.press("escape");
  CHECK(world.interrupted);
  ToolFinished done;
  done.call_id = "shell_1";
  world.tell(done);
  CHECK_FALSE(world.shell.view.working);

  world.interrupted = false;
  world.tell(Compaction{.phase = CompactionPhase::started});
  world.press("escape");
  CHECK(world.interrupted);
  world.tell(Compaction{.phase = CompactionPhase::failed});
  CHECK_FALSE(world.shell.view.working);
}

TEST_CASE("what happens inside a turn does not end it") {
  World world;
  world.tell(TurnStarted{1});
  world.tool("Read", "a.cpp", "3 lines");
  world.tell(Compaction{.phase = CompactionPhase::started});
  world.tell(Compaction{.phase = CompactionPhase::completed});
  world.meters(0.1);
  CHECK(world.shell.view.working);
  world.tell(TurnEnded{});
  CHECK_FALSE(world.shell.view.working);
}

TEST_CASE("rewinding offers the newest prompt first") {
  World world;
  world.shell.view.rewind = {{ItemId{3}, "new", "10:01", 0}, {ItemId{1}, "old", "10:00", 0}};
  open_pages(world.shell);
  REQUIRE(world.shell.overlay);
  CHECK(world.shell.overlay->selected == 0);
}

TEST_CASE("leaving the history search gives the draft back") {
  World world;
  world.shell.history.add("run the tests");
  world.type("draft");
  world.press("ctrl-r");
  world.type("run");
  CHECK(world.shell.composer.text() == "run the tests");
  world.press("escape");
  CHECK(world.shell.composer.text() == "draft");
}

TEST_CASE("the position never moves while reading") {
  World world;
  world.meters(0.1);
  for (int i = 0; i < 100; ++i) world.answer("line " + std::to_string(i));
  world.look(80, 24);
  world.press("pageup");
  const std::string before = world.look(80, 24);
  for (int i = 0; i < 5; ++i) world.answer("new " + std::to_string(i));
  const std::string after = world.look(80, 24);
  CHECK(after.find("5 new lines") != after.npos);
  const auto lines_above = [](const std::string& text) { return text.substr(0, text.find("line 80")); };
  CHECK(lines_above(before) == lines_above(after));
  world.press("ctrl-end");
  CHECK(world.look(80, 24).find("new 4") != std::string::npos);
}

TEST_CASE("the bar takes the colour of its band") {
  CHECK(band_colour(0.1) == Colour::good);
  CHECK(band_colour(0.5) == Colour::lime);
  CHECK(band_colour(0.7) == Colour::warn);
  CHECK(band_colour(0.9) == Colour::orange);
  CHECK(band_colour(0.97) == Colour::bad);
  World world;
  for (const double share : {0.2, 0.5, 0.7, 0.9, 0.99}) {
    world.meters(share);
    CHECK_GOLDEN("meters_" + std::to_string(static_cast<int>(share * 100)), world.look(100, 5));
  }
}
