#include "ui/parts/rows.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/text_ends.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

using namespace tern;

namespace {
std::string picture_of(const Rows& rows) {
  std::string out;
  for (const Row& row : rows) out += row.text + "\n";
  return out;
}
Style style_at(const Row& row, std::string_view word) {
  const std::size_t at = row.text.find(word);
  for (const Span& span : row.spans)
    if (span.begin <= at && at < span.begin + span.length) return span.style;
  return {};
}
}  // namespace

TEST_CASE("markdown keeps its structure") {
  const std::string text =
      "# Title\n\nSome **bold** and `code` and *soft*.\n\n1. one\n2. two\n   - nested\n\n> "
      "quoted\n\n---\n\n[link](http://x.org)";
  CHECK(picture_of(markdown_rows(text, 40)) ==
        "Title\n\nSome bold and code and soft.\n\n1. one\n2. two\n   ◦ nested\n\n▌ "
        "quoted\n\n────────────────────────────────────────\n\nlink (http://x.org)\n");
  const Rows rows = markdown_rows(text, 40);
  CHECK(style_at(rows[0], "Title").bold);
  CHECK(style_at(rows[2], "bold").bold);
  CHECK(style_at(rows[2], "code").fg == Colour::literal);
  CHECK(style_at(rows[2], "soft").italic);
}

TEST_CASE("a list that skips keeps its author's numbers, one that repeats is counted") {
  const auto shown = [](const char* text) { return picture_of(markdown_rows(text, 30)); };
  CHECK(shown("1. one\n8. **eight**\n9) other") == "1. one\n8. eight\n\n9. other\n");
  CHECK(shown("1. one\n1. two\n1. three") == "1. one\n2. two\n3. three\n");
  CHECK(shown("9. nine\n12. twelve is so long that it wraps\n    - below") ==
        "9. nine\n12. twelve is so long that it\n    wraps\n    ◦ below\n");
  CHECK(shown("> 3. three\n> 7. `seven`") == "▌ 3. three\n▌ 7. seven\n");
  CHECK(shown("1. one\n2. 5. nested") == "1. one\n2. 5. nested\n");
  CHECK(shown("1. one\n2. - nested") == "1. one\n2. ◦ nested\n");
}

TEST_CASE("what is struck out is struck through, an approximate number is not") {
  const Rows rows = markdown_rows("~~old~~ new, ~5 to ~10 s in ~/a or ~/b", 60);
  CHECK(picture_of(rows) == "old new, ~5 to ~10 s in ~/a or ~/b\n");
  CHECK(style_at(rows[0], "old").strike);
  CHECK_FALSE(style_at(rows[0], "5 to").strike);
}

TEST_CASE("tables with wide letters stand in columns") {
  const Rows rows = markdown_rows("| a | 名字 |\n|---|---|\n| 1 | 中文 |\n| 22 | x |", 40);
  CHECK(picture_of(rows) == "a  │ 名字\n───┼─────\n1  │ 中文\n22 │ x\n");
}

TEST_CASE("a table too wide is shrunk, not cut off") {
  std::string long_cell(100, 'x');
  for (const Row& row : markdown_rows("| a | b |\n|---|---|\n| " + long_cell + " | short |", 40))
    CHECK(width(row.text) <= 40);
}

TEST_CASE("code keeps its blanks and gets its colours") {
  const Rows rows = markdown_rows("```python\ndef f(x):\n    return \"s\"  # note\n```", 60);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].text == "▏     return \"s\"  # note");
  CHECK(style_at(rows[0], "def").fg == Colour::keyword);
  CHECK(style_at(rows[1], "\"s\"").fg == Colour::code);
  CHECK(style_at(rows[1], "# note").italic);
}

TEST_CASE("no row is wider than it may be, whatever comes") {
  const std::string texts[] = {"中文字很长的一行没有空格可以断开所以必须在任何地方断开",
                               std::string(500, 'x'),
                               "a b c d e f g h i j k l m n o p q r s t u v w x y z",
                               "```\n" + std::string(300, 'y') + "\n```",
                               "> > > deep quote with words and 中文 mixed in it to wrap",
                               "- a\n  - b\n    - c\n      - d with a long text that wraps somewhere"};
  for (const std::string& text : texts)
    for (const int columns : {12, 20, 33, 80})
      for (const Row& row : markdown_rows(text, columns)) CHECK(width(row.text) <= columns);
}

TEST_CASE("streaming piece by piece ends in the same rows as the whole") {
  const std::string text =
      "First paragraph with **bold**.\n\nSecond one.\n\n```cpp\nint main() {\n\n  return 0;\n}\n```\n\nThird "
      "after code.\n\n- "
      "a\n- b\n\nLast words here.";
  StreamRows stream;
  AssistantCell cell;
  cell.streaming = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    cell.markdown += text[i];
    if (static_cast<unsigned char>(text[i]) < 0x80) stream_rows(stream, cell, RowOptions{.width = 40});
  }
  Cell whole;
  whole.body = AssistantCell{text, false, false};
  CHECK(picture_of(stream.rows) == picture_of(rows_of(whole, RowOptions{.width = 40})));
}

TEST_CASE("every prefix of a stream looks like the same text rendered whole") {
  static constexpr std::string_view texts[] = {
      "Intro\n\n````md\n# A\n\n```js\nlet a\n\nlet b\n```\n\nText in it\n\nMore\n````\n\nAfter\n\nEnd",
      "~~~\n```\n\nstill code\n\n~~~ not closed by this\n\nCode\n~~~\n\nOut",
      "1. Do:\n\n   ```sh\n   npm i\n\n   npm t\n   ```\n\n2. Then\n\nText\n\nMore",
      "``` a`b\n\nno fence\n\nText", "```\na\n    ```\n\nb\n\nC\n```\n\nD"};
  for (const std::string_view text : texts) {
    StreamRows stream;
    AssistantCell cell;
    cell.streaming = true;
    for (const char c : text) {
      cell.markdown += c;
      stream_rows(stream, cell, RowOptions{.width = 40});
      Cell whole;
      whole.body = cell;
      INFO(cell.markdown);
      REQUIRE(picture_of(stream.rows) == picture_of(rows_of(whole, RowOptions{.width = 40})));
    }
  }
}

TEST_CASE("a compaction that was cancelled has not failed") {
  Cell cell;
  Compaction compaction;
  compaction.phase = CompactionPhase::failed;
  compaction.why = "cancelled; the draft goes on";
  cell.body = CompactionCell{compaction};
  CHECK(picture_of(rows_of(cell, RowOptions{.width = 60})) == "◇ compaction cancelled; the draft goes on\n");
  compaction.why = "no model answered";
  cell.body = CompactionCell{compaction};
  CHECK(picture_of(rows_of(cell, RowOptions{.width = 60})) == "◇ compaction failed: no model answered\n");
}

TEST_CASE("a diff shows line numbers, signs and the words that changed") {
  const Rows rows = diff_rows(
      "--- a\n+++ b\n@@ -7,3 +7,3 @@\n keep\n-let x = old_value;\n+let x = new_value;\n keep2\n@@ -90 +90 "
      "@@\n-- sql comment\n",
      "a.rs", 60);
  CHECK(
      picture_of(rows) ==
      " 7   keep\n 8 − let x = old_value;\n 8 + let x = new_value;\n 9   keep2\n   ⋯\n90 − - sql comment\n");
  CHECK(style_at(rows[2], "new").bg == Colour::added_word);
  CHECK(style_at(rows[2], "let").bg == Colour::added_tint);
}

TEST_CASE("long output is folded from above and unfolds whole") {
  Cell cell;
  ToolCell tool;
  tool.tool = tool.label = "Bash";
  tool.subject = "make";
  tool.running = false;
  for (int i = 0; i < 100; ++i) tool.output += "line " + std::to_string(i) + "\n";
  cell.body = tool;
  const std::string folded = picture_of(rows_of(cell, RowOptions{.width = 60}));
  CHECK(folded.find("96 earlier lines · ctrl-o") != folded.npos);
  CHECK(folded.find("line 99") != folded.npos);
  CHECK(folded.find("line 3\n") == folded.npos);
  cell.unfolded = true;
  CHECK(rows_of(cell, RowOptions{.width = 60}).size() == 101);
}

TEST_CASE("what left the context says so and stays readable") {
  Cell cell;
  ToolCell tool;
  tool.tool = tool.label = "Read";
  tool.subject = "a.cpp";
  tool.running = false;
  tool.recall = {17};
  cell.body = tool;
  cell.left_context = Tier::micro;
  CHECK(picture_of(rows_of(cell, RowOptions{.width = 60})) == "● Read      a.cpp ◇ compacted (r17)\n");
}

TEST_CASE("hostile output draws no orders") {
  Cell cell;
  ToolCell tool;
  tool.tool = tool.label = "Bash";
  tool.subject = "cat \x1b[2J evil";
  tool.note = "exit 0\x1b]0;x\x07";
  tool.output = "\xC3\x1b[2J\u202Eabc\n";
  tool.running = false;
  cell.body = tool;
  for (const Row& row : rows_of(cell, RowOptions{.width = 60})) {
    CHECK(row.text.find('\x1b') == std::string::npos);
    CHECK(is_valid_utf8(row.text));
  }
}

TEST_CASE("a tool that works on nothing in particular has its note right behind its name") {
  Cell cell;
  cell.body =
      ToolCell{.call_id = "c1", .tool = "TodoWrite", .label = "Todo", .note = "1/3 done", .running = false};
  const Rows rows = rows_of(cell, RowOptions{.width = 80});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].text == "● Todo      1/3 done");
}

TEST_CASE("a tool that tells how far it is shows that while it runs, and not afterwards") {
  Cell cell;
  ToolCell tool{.call_id = "t", .tool = "Task", .label = "Task", .subject = "find callers", .running = true};
  tool.tail = "explored 0 of 60k · starts\nexplored 12k of 60k · Grep \"解析\"\n";
  cell.body = tool;
  CHECK(picture_of(rows_of(cell, RowOptions{.width = 60})).find("explored 12k of 60k · Grep \"解析\"") !=
        std::string::npos);
  tool.running = false;
  cell.body = tool;
  CHECK(rows_of(cell, RowOptions{.width = 60}).size() == 1);
}

TEST_CASE("a result that is shown again counts the lines that are not there") {
  std::string text;
  for (int n = 0; n < 5'000; ++n) text += "line " + std::to_string(n) + " of the build\n";
  ToolCell tool;
  tool.tool = tool.label = "Bash";
  tool.running = false;
  const auto headed = [&](std::string output) {
    tool.output = std::move(output);
    return tool_rows(tool, RowOptions{}, Tier::none, false).at(1).text;
  };
  CHECK(headed(text) == "  │ … 4996 earlier lines · ctrl-o");
  CHECK(headed(text_ends(text, 4'000, {})) == headed(text));
  CHECK(headed(text_ends(text_ends(text, 40'000, {}), 4'000, {})) == headed(text));
}
