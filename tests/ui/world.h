// A shell with its screen, told events and given keys by hand; what it sends is read back. For tests of what
// people see.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include "compression/values/tokens.h"
#include "tests/support/asked.h"
#include "tests/support/golden.h"
#include "ui/commands/builtin_commands.h"
#include "ui/fronts/modes.h"
#include "ui/fronts/screen.h"
#include "ui/parts/status_bar.h"
#include "ui/shell/keys.h"

namespace tern {

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
              .welcome = {"tern", "folder: ~/src/parser", "/ commands · @ files · ? keys"}};
  Shell shell{deps, builtin_commands(), [] {}};
  std::uint64_t next_item = 1;

  World() {
    shell.depth = ColourDepth::truecolor;
    shell.theme = make_theme("dark", shell.depth, Background::dark);
    shell.now_ms = 100'000;
  }
  void tell(Event event) {
    fold(shell.view, std::move(event), shell.now_ms);
    open_pages(shell);
  }
  void say(std::string line) {  // what the person sends
    shell.composer.set(std::move(line));
    shell.submit(When::steer);
  }
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
  void tool(std::string name, std::string subject, std::string note, std::string text = "",
            bool error = false, std::string diff = "") {
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
    done.end = end_of_note(note);
    tell(done);
  }
  void meters(double share, Tokens window = 200'000) {
    Meters m;
    m.model = "claude-sonnet-4-5";
    m.cwd = "/home/ann/src/parser";
    m.branch = "main*";
    m.window = window;
    m.effective = m.limit = window - 20'000;
    m.used = static_cast<Tokens>(share * static_cast<double>(m.effective));
    m.parts = {{"system", m.used / 20},
               {"tools", m.used / 20},
               {"memory", 0},
               {"user", m.used / 10},
               {"assistant", m.used / 5},
               {"results", m.used - m.used / 20 * 2 - m.used / 10 - m.used / 5}};
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
      if (auto* value = asked_in<T>(command)) out.push_back(*value);
    return out;
  }
  void story() {
    meters(0.43);
    user("The tokenizer drops the last line when the file has no newline. Fix it.");
    answer("I'll look at the tokenizer and its tests first.");
    tool("Read", "src/tokenizer.cpp", "412 lines");
    tool("Grep", "\"eof\" in src/", "9 hits in 3 files");
    tool("Bash", "ctest -R tokenizer", "exit 8 · 2.1 s",
         "Start 12\n1 of 34 failed: tokenizer.no_trailing_newline\n", true);
    tool("Edit", "src/tokenizer.cpp", "+2 −1", "", false,
         "--- a/src/tokenizer.cpp\n+++ b/src/tokenizer.cpp\n@@ -201,3 +201,4 @@\n   if (at_end()) {\n-    "
         "return "
         "Token::eof();\n+    if (!line_.empty()) return flush_line();\n+    return Token::eof();\n   }\n");
    Compaction compaction;
    compaction.phase = CompactionPhase::completed;
    compaction.tier = Tier::micro;
    compaction.items = 14;
    compaction.originals = 14;
    compaction.before = 121'000;
    compaction.after = 78'000;
    compaction.audit = "41 of 47 details kept, 6 on recall, none lost";
    tell(compaction);
    answer(
        "All **34 tests** pass. The last line was lost because the scanner returned before `flush_line`.\n\n"
        "| case | before | after |\n|---|---|---:|\n| 没有换行 | lost | 1 |\n| CRLF | ok | 1 |\n\n```cpp\nif "
        "(!line_.empty()) "
        "return flush_line();  // the fix\n```\n\n- 表情 👍🏽 fine\n- done");
  }
};

#define CHECK_GOLDEN(name, text)                                  \
  do {                                                            \
    const std::string difference = golden_difference(name, text); \
    INFO(difference);                                             \
    CHECK(difference.empty());                                    \
  } while (false)

}  // namespace tern
