// How a conversation looks: what tells prompts, answers and tools apart, what a turn took, what the frame
// says of the mode.
#include "tests/ui/world.h"
#include "ui/text/markdown_parts.h"
#include "ui/text/width.h"

using namespace tern;

namespace {

Rows cell_rows(CellBody body, int width = 80) {
  Cell cell;
  cell.body = std::move(body);
  return rows_of(cell, RowOptions{.width = width});
}

const Span* span_of(const Row& row, std::string_view text) {
  const std::size_t at = row.text.find(text);
  for (const Span& span : row.spans)
    if (at != row.text.npos && span.begin <= at && at < span.begin + span.length) return &span;
  return nullptr;
}

constexpr std::string_view change =
    "@@ -5,2 +5,2 @@\n-  if (done) return Token(\"eof\");\n+  if (done) return flush(\"eof\");\n";

}  // namespace

TEST_CASE("a prompt is a tinted block, an answer has no mark, a tool has one for each state") {
  for (const Row& row : cell_rows(UserCell{"fix it\nplease", 0})) {
    CHECK(row.text.starts_with("▌ "));
    CHECK(row.fill == Colour::prompt_tint);
  }
  CHECK(cell_rows(AssistantCell{"Done.", false, false})[0].text == "  Done.");
  ToolCell tool{.tool = "Bash", .label = "Bash", .subject = "make"};
  CHECK(cell_rows(tool)[0].text.starts_with("◌ Bash      make"));
  tool.running = false;
  CHECK(cell_rows(tool)[0].text.starts_with("● "));
  tool.is_error = true;
  CHECK(cell_rows(tool)[0].text.starts_with("✗ "));
  CHECK(cell_rows(tool)[0].spans[0].style.fg == Colour::bad);
  tool.note = rejected_note("use ninja");
  tool.end = CallEnd::rejected;
  tool.output = "The user doesn't want to proceed";
  const Rows refused = cell_rows(tool);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].text == "⊘ Bash      make · rejected: use ninja");
}

TEST_CASE("a changed line keeps its syntax, and its tint reaches the edge") {
  const Rows rows = diff_rows(change, "a.cpp", 80);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].fill == Colour::removed_tint);
  CHECK(rows[1].fill == Colour::added_tint);
  REQUIRE(span_of(rows[1], "return"));
  CHECK(span_of(rows[1], "return")->style.fg == Colour::keyword);
  CHECK(span_of(rows[1], "return")->style.bg == Colour::added_tint);
  CHECK(span_of(rows[1], "flush")->style.bg == Colour::added_word);
}

TEST_CASE("a line that takes another's place has no changed words") {
  const Rows rows = diff_rows(
      "@@ -1 +1 @@\n-        return Token(\"eof\", \"\")\n+        line = self.flush_line()\n", "a.py", 80);
  for (const Row& row : rows)
    for (const Span& span : row.spans)
      CHECK((span.style.bg != Colour::added_word && span.style.bg != Colour::removed_word));
}

TEST_CASE("reads and searches in a row are one row until they are unfolded, and a failed one stands out") {
  World world;
  world.tool("Read", "src/a.cpp", "12 lines");
  CHECK(world.look(80, 24).find("● Read      src/a.cpp") != std::string::npos);
  world.tool("Read", "src/b.cpp", "9 lines");
  world.tool("Grep", "\"eof\"", "3 hits");
  world.tool("Read", "src/a.cpp", "12 lines");
  std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("● Explored  2 files, 1 search · ctrl-o") != screen.npos);
  CHECK(screen.find("src/b.cpp") == screen.npos);
  world.tool("Read", "nope.txt", "", "no such file", true);
  world.tool("Read", "src/c.cpp", "1 line");
  screen = world.look(80, 24);
  CHECK(screen.find("✗ Read      nope.txt") != screen.npos);
  CHECK(screen.find("● Read      src/c.cpp") != screen.npos);
  world.press("ctrl-o");
  screen = world.look(80, 24);
  CHECK(screen.find("● Grep      \"eof\"") != screen.npos);
  CHECK(screen.find("Explored") == screen.npos);
}

TEST_CASE("a turn leaves what it took, without the time a question waited") {
  World world;
  world.meters(0.1);
  world.user("go");
  world.tell(TurnStarted{1});
  world.tool("Bash", "make", "exit 0");
  world.shell.now_ms += 5'000;
  world.tell(PermissionAsked{.id = 1, .tool = "Bash", .title = "Bash make", .body = "make"});
  world.shell.now_ms += 60'000;
  CHECK_FALSE(world.look(100, 30).find("1 m") != std::string::npos);
  world.tell(PermissionSettled{1, Verdict::yes});
  world.shell.now_ms += 7'000;
  std::string screen = world.look(100, 30);
  INFO(screen);
  CHECK(screen.find("Waiting for the model · 12 s · esc interrupt") != screen.npos);
  world.answer("Done.");
  Meters meters = world.shell.view.meters;
  meters.dollars += 0.02;
  world.tell(meters);
  world.tell(TurnEnded{});
  screen = world.look(100, 30);
  CHECK(screen.find("  12 s · 1 tool · $0.02\n") != screen.npos);
}

TEST_CASE("the line above the prompt says what runs") {
  World world;
  world.meters(0.1);
  world.tell(TurnStarted{1});
  world.tell(Delta{DeltaKind::thinking, "First the tests."});
  CHECK(world.look(100, 30).find("Thinking · 0 s · esc interrupt") != std::string::npos);
  std::string thought;
  for (int i = 0; i < 200; ++i) thought += " then the code";
  world.tell(Delta{DeltaKind::thinking, thought});
  CHECK(world.look(100, 30).find("Thinking · 0 s · ~") != std::string::npos);
  CHECK(world.look(100, 30).find("tokens · esc interrupt") != std::string::npos);
  world.tell(Delta{DeltaKind::text, "I run them."});
  CHECK(world.look(100, 30).find("Writing · 0 s") != std::string::npos);
  world.tell(ToolStarted{"c", "Bash", "Bash", "ctest -R tokenizer && echo done", "{}"});
  CHECK(world.look(100, 30).find("Running ctest -R tokenizer · 0 s") != std::string::npos);
}

TEST_CASE("a no ends the turn with one row, and the prompt asks what to do instead") {
  World world;
  world.meters(0.1);
  world.tell(TurnStarted{1});
  world.tool("Edit", "src/b.cpp", "rejected", "The user doesn't want to proceed with this tool use.", true);
  world.tell(TurnEnded{TurnEnded::How::interrupted, "", 0, 10});
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("interrupted") == screen.npos);
  CHECK(screen.find("What should tern do instead?") != screen.npos);
  world.tell(TurnStarted{2});
  world.tell(TurnEnded{TurnEnded::How::interrupted, "", 130, 10});
  CHECK(world.look(80, 24).find("! interrupted") != std::string::npos);
}

TEST_CASE("the frame of the prompt shows the mode by name and colour") {
  World world;
  world.meters(0.1);
  std::vector<Colour> seen;
  for (const auto& [mode, name] : {std::pair{PermissionMode::ask, "ask"},
                                   {PermissionMode::accept_edits, "accept edits"},
                                   {PermissionMode::plan, "plan"},
                                   {PermissionMode::automatic, "auto"},
                                   {PermissionMode::bypass, "bypass"}}) {
    Meters meters = world.shell.view.meters;
    meters.mode = mode;
    world.tell(meters);
    CHECK(world.look(80, 24).find(std::string("╰─ ") + name + " · shift-tab ─") != std::string::npos);
    const Bottom bottom = bottom_part(world.shell, {80, 24});
    CHECK(std::find(seen.begin(), seen.end(), bottom.frame.style.fg) == seen.end());
    seen.push_back(bottom.frame.style.fg);
  }
}

TEST_CASE("prose stays readable on a wide screen, code and tables use it") {
  std::string words;
  for (int i = 0; i < 80; ++i) words += "words ";
  for (const Row& row : markdown_rows(words, 198)) CHECK(width(row.text) <= longest_prose);
  const std::string code(150, 'x');
  CHECK(markdown_rows("```\n" + code + "\n```", 198).size() == 1);
}

TEST_CASE("code has a rail and its language, which is never copied; what is cut is marked") {
  const Rows rows = markdown_rows("```python\nx = 1\n```", 60);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].text.starts_with("▏ x = 1"));
  CHECK(rows[0].text.ends_with("python"));
  CHECK(rows[0].text.substr(rows[0].gutter, rows[0].text.size() - rows[0].gutter - rows[0].trailer) ==
        "x = 1");
  const Rows cut = markdown_rows("```\n" + std::string(70, 'x') + "\n```", 60);
  REQUIRE(cut.size() == 2);
  CHECK(cut[1].text.starts_with("↪ "));
  CHECK(cut[1].continued);
}

TEST_CASE("a diff in a fence is coloured") {
  const Rows rows = markdown_rows(
      "```diff\n@@ -1 +1 @@\n-    return Token.eof()\n+    return self.flush_line()\n same\n```", 60);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].fill == Colour::removed_tint);
  CHECK(rows[2].fill == Colour::added_tint);
  CHECK(rows[3].fill == Colour::none);
}

TEST_CASE("entities are decoded, and a picture says where it is") {
  CHECK(markdown_rows("&copy; 2026 &mdash; &#169; &#xA9; &nosuch;", 60)[0].text == "© 2026 — © © &nosuch;");
  CHECK(markdown_rows("![a chart](https://example.com/x.png)", 60)[0].text ==
        "a chart (https://example.com/x.png)");
}

TEST_CASE("a block in an item of a loose list keeps its distance") {
  const Rows rows = markdown_rows("1. one\n\n   para in item\n\n   ```sh\n   ls\n   ```\n2. two", 40);
  std::string text;
  for (const Row& row : rows) text += row.text.substr(0, row.text.size() - row.trailer) + "\n";
  INFO(text);
  CHECK(text.find("one\n\n   para in item\n\n   ▏ ls") != text.npos);
}

TEST_CASE("lines of a table whose cells wrap are told apart, and one too narrow to read is a list") {
  std::string table = "| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n";
  for (int i = 0; i < 3; ++i)
    table += "| value number one | another long cell | third column | fourth column | fifth text | sixth |\n";
  std::string wide, narrow;
  for (const Row& row : markdown_rows(table, 70)) wide += row.text + "\n";
  for (const Row& row : markdown_rows(table, 56)) narrow += row.text + "\n";
  INFO(wide << narrow);
  CHECK(wide.find("┈┼┈") != wide.npos);
  CHECK(narrow.find("• a: value number one") != narrow.npos);
}

TEST_CASE("headings are told apart") {
  const auto style = [](const char* text) { return markdown_rows(text, 40)[0].spans.at(0).style; };
  CHECK(style("# One").underline);
  CHECK(style("## Two").fg == Colour::accent);
  CHECK(style("### Three").fg == Colour::none);
  CHECK(style("#### Four").italic);
}

TEST_CASE("keys of data, tags and types have colours; a word of a command is no builtin") {
  int state = 0;
  const auto style = [&](std::string_view line, std::string_view language, std::string_view word) {
    Row row;
    row.text = line;
    row.spans = highlight(line, language, state);
    const Span* span = span_of(row, word);
    return span ? span->style.fg : Colour::none;
  };
  CHECK(style("{\"name\": \"tern\"}", "json", "\"name\"") == Colour::user);
  CHECK(style("{\"name\": \"tern\"}", "json", "\"tern\"") == Colour::code);
  CHECK(style("build-type: release", "yaml", "build-type") == Colour::user);
  CHECK(style("<div class=\"x\">hi</div>", "html", "<div") == Colour::keyword);
  CHECK(style("<div class=\"x\">hi</div>", "html", "class") == Colour::user);
  CHECK(style("std::vector<Token> all;", "cpp", "Token") == Colour::accent);
  CHECK(style("make test && echo done", "bash", "test") == Colour::none);
  CHECK(style("make test && echo done", "bash", "echo") == Colour::keyword);
  CHECK(style("$ make", "bash", "$ ") == Colour::muted);
}

TEST_CASE("a long paste is folded in the transcript") {
  std::string text = "look at this:";
  for (int i = 0; i < 40; ++i) text += "\nline " + std::to_string(i);
  const Rows rows = cell_rows(UserCell{text, 0});
  CHECK(rows.size() == 17);
  CHECK(rows.back().text == "▌ … 25 more lines · ctrl-o");
}

TEST_CASE("the first screen says what there is to go on with, and gives one tip") {
  World world;
  world.deps.welcome = {"tern 0.1", "~/src/parser", "",
                        "Tip: ctrl-o unfolds the whole transcript; / searches in it."};
  world.meters(0.01);
  CHECK(world.look(80, 24).find("earlier") == std::string::npos);
  world.tell(SessionOpened{
      .id = "q", .name = {}, .earlier = 3, .last = "fix the tokenizer", .last_when = "2026-11-18 10:01"});
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("  3 earlier conversations · last: fix the tokenizer · 2026-11-18 10:01 · /resume\n") !=
        screen.npos);
  CHECK(screen.find("Tip: ctrl-o") != screen.npos);
  CHECK(world.look(40, 16).find("3 earlier conversations · /resume") != std::string::npos);
}

TEST_CASE("a command the user ran says so and shows more of its output") {
  ToolCell tool{.tool = "Bash", .label = std::string(own_command_label), .subject = "ls", .note = "exit 0"};
  tool.running = false;
  for (int i = 0; i < 30; ++i) tool.output += "file " + std::to_string(i) + "\n";
  const Rows own = cell_rows(tool);
  CHECK(own[0].text.starts_with("● You ran   ls"));
  CHECK(own.size() == 22);
  tool.label = "Bash";
  CHECK(cell_rows(tool).size() == 6);
}

TEST_CASE("what a command answered the model about itself is not shown to people") {
  ToolCell tool{.tool = "Bash", .label = "Bash", .subject = "make", .note = "exit 3 · 0.1 s"};
  tool.running = false;
  tool.is_error = true;
  tool.exit_status = 3;
  tool.output = "Exit code 3\nerror: no rule\n";
  Rows rows = cell_rows(tool);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].text == "  │ error: no rule");
  tool.output = "Exit code 3";
  CHECK(cell_rows(tool).size() == 1);
  tool.is_error = false;
  tool.exit_status = 0;
  tool.output = "(Bash completed with no output)";
  CHECK(cell_rows(tool).size() == 1);
  tool.exit_status.reset();
  tool.note = "background bash_1";
  tool.end = CallEnd::background;
  tool.output = "The command runs in the background. Its id is bash_1: BashOutput reads what it says.";
  rows = cell_rows(tool);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].text.ends_with("make · background bash_1 · /tasks"));
}

TEST_CASE("output of a command keeps its colours and nothing else of its escapes") {
  ToolCell tool{.tool = "Bash", .label = "Bash", .subject = "make", .note = "exit 0"};
  tool.running = false;
  tool.output =
      "\x1b[31mred\x1b[0m plain \x1b[1;32mgreen\x1b[m\x1b[2J\n\x1b[38;2;80;80;255mblue\nstill\x1b[39m "
      "not\x1b\x1b[0m[2J\n";
  const Rows rows = cell_rows(tool);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].text == "  │ red plain green");
  CHECK(span_of(rows[1], "red")->style.fg == Colour::bad);
  CHECK(span_of(rows[1], "plain")->style.fg == Colour::muted);
  CHECK(span_of(rows[1], "green")->style == Style{.fg = Colour::good, .bold = true});
  CHECK(span_of(rows[2], "blue")->style.fg == Colour::user);
  CHECK(span_of(rows[3], "still")->style.fg == Colour::user);
  CHECK(span_of(rows[3], "not")->style.fg == Colour::muted);
  for (const Row& row : rows) CHECK(row.text.find('\x1b') == std::string::npos);
}

TEST_CASE("a click unfolds one result in its place, and folds it again") {
  World world;
  world.meters(0.1);
  std::string output;
  for (int i = 1; i <= 9; ++i) output += "line " + std::to_string(i) + "\n";
  world.tool("Bash", "make", "exit 0", output);
  world.tool("Read", "src/a.cpp", "12 lines");
  world.tool("Read", "src/b.cpp", "9 lines");
  const auto click = [&](std::string_view text) {
    std::string screen = world.look(80, 40);
    int y = 0;
    for (const char c : screen.substr(0, screen.find(text))) y += c == '\n';
    handle_input(world.shell, Mouse{.what = Mouse::What::press, .x = 3, .y = y});
    handle_input(world.shell, Mouse{.what = Mouse::What::release, .x = 3, .y = y});
    return world.look(80, 40);
  };
  CHECK(click("● Bash").find("│ line 1\n") != std::string::npos);
  CHECK(click("● Bash").find("│ line 1\n") == std::string::npos);
  const std::string reads = click("● Explored");
  INFO(reads);
  CHECK(reads.find("src/a.cpp") != reads.npos);
  CHECK(reads.find("src/b.cpp") != reads.npos);
  CHECK(click("src/b.cpp").find("● Explored") != std::string::npos);
}
