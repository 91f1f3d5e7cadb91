#include "ui/text/progress.h"

#include <catch2/catch_test_macros.hpp>

#include "ui/parts/rows.h"
#include "ui/text/text_safe.h"

using namespace tern;

TEST_CASE("a line shows its last state") {
  CHECK(last_states("plain\nlines\n") == "plain\nlines\n");
  CHECK(last_states("a\r\nb\r\n") == "a\nb\n");
  CHECK(last_states(" 10%\r 50%\r100%") == "100%");
  CHECK(last_states(" 10%\r 50%\r100%\r\ndone") == "100%\ndone");
  CHECK(last_states("long text\rab") == "abng text");
  CHECK(last_states("long text\r\x1b[Kab") == "ab");
  CHECK(last_states("long text\x1b[2K\rab") == "ab");
  CHECK(last_states("wait |\b/\b-") == "wait -");
  CHECK(last_states("中文字\rx") == "x 文字");
  CHECK(last_states("\x1b[32mgreen\x1b[0m\r\x1b[1mblue") == "bluen");
}

TEST_CASE("whatever a line goes back over, it gives no orders") {
  for (const std::string text :
       {"a\r\x1b[2J\x1b]0;x\x07y", "\b\b\b\x1b", "\r\x1b[", "x\r\xC3\x1b[2J", "\r\x1b]52;never ended"}) {
    const std::string shown = safe_text(last_states(text));
    CHECK(shown.find_first_of("\x1b\r\b") == shown.npos);
    CHECK(is_valid_utf8(shown));
  }
}

TEST_CASE("a display of several lines is shown as it stands now") {
  ToolCell tool;
  tool.tool = tool.label = "Bash";
  tool.subject = "docker pull debian";
  tool.tail = "latest: Pulling from library/debian\n";
  for (int i = 0; i <= 300; ++i) {
    if (i > 0) tool.tail += "\x1b[3A";
    for (const char* layer : {"a1", "b2", "c3"})
      tool.tail += "\x1b[2K\r" + std::string(layer) + ": Downloading " + std::to_string(i) + " MB\r\n";
  }
  for (const bool running : {true, false}) {
    tool.running = running;
    tool.output = tool.tail;
    Cell cell;
    cell.body = tool;
    const Rows rows = rows_of(cell, RowOptions{.width = 60});
    REQUIRE(rows.size() == 5);
    CHECK(rows[1].text == "  │ latest: Pulling from library/debian");
    CHECK(rows[2].text == "  │ a1: Downloading 300 MB");
    CHECK(rows[4].text == "  │ c3: Downloading 300 MB");
  }
}

TEST_CASE("a progress bar is one row of a running command") {
  ToolCell tool;
  tool.tool = tool.label = "Bash";
  tool.subject = "curl";
  for (int i = 0; i <= 100; ++i)
    tool.tail += "\r[" + std::string(static_cast<std::size_t>(i / 5), '#') + "] " + std::to_string(i) + " %";
  Cell cell;
  cell.body = tool;
  const Rows rows = rows_of(cell, RowOptions{.width = 60});
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].text == "  │ [####################] 100 %");
}
