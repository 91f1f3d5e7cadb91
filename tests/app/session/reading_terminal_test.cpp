// Reading on a real pseudo-terminal: the place stays while an answer streams in below, and a drag copies what
// was said.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/served_run.h"

using namespace tern;
using namespace tern::test;

namespace {

std::string lines(std::string_view name, int n) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += "- " + std::string(name) + " " + std::to_string(i) + "\\n";
  return text;
}

// Sixty lines, a command that waits for a file, and a hundred lines more.
std::string two_answers() {
  return R"({"replies": [{"text": ")" + lines("early", 60) +
         R"(", "calls": [{"name": "Bash", "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"}}]}, {"text": ")" +
         lines("late", 100) + R"(", "pieces": 40}]})";
}

struct ReadingRun : ServedRun {
  ReadingRun() : ServedRun(two_answers(), {"--permission-mode", "bypass"}, 80, 24) {}

  std::string rows(int first, int last) {
    std::string text;
    for (int y = first; y <= last; ++y) text += pty.vt().line(y) + "\n";
    return text;
  }
};

}  // namespace

TEST_CASE("the place stays while an answer streams in below, and the way back leads to its end") {
  ReadingRun run;
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("go\r");
  REQUIRE(pty.until_text("◌ Bash"));
  pty.send("\x1b[5~\x1b[5~");
  REQUIRE(pty.until_text("↓ end"));
  const std::string read = run.rows(2, 17);
  CHECK(read.find("early 30") != std::string::npos);
  std::ofstream(run.home.work / "go") << "now";
  REQUIRE(pty.until_gone("esc interrupt"));
  REQUIRE(pty.until_text("new lines ↓"));
  CHECK(run.rows(2, 17) == read);
  pty.send("\x1b[1;5F");
  REQUIRE(pty.until_text("late 100"));
  CHECK(pty.vt().text().find("↓") == std::string::npos);
}

TEST_CASE("a drag over the transcript copies what was said, the wheel scrolls it") {
  ReadingRun run;
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("say 你好 twice\r");
  REQUIRE(pty.until_text("◌ Bash"));
  for (int i = 0; i < 30; ++i) pty.send("\x1b[<64;10;10M");
  REQUIRE(pty.until_text("▌ say 你好 twice"));
  REQUIRE(pty.vt().line(2).starts_with("▌ say"));
  pty.send("\x1b[<0;3;3M\x1b[<32;10;3M\x1b[<0;10;3m");
  REQUIRE(pty.until_text("copied 10 bytes"));
  CHECK(pty.raw().find("\x1b]52;c;c2F5IOS9oOWlvQ==") != std::string::npos);  // "say 你好"
  for (int i = 0; i < 30; ++i) pty.send("\x1b[<65;10;10M");
  REQUIRE(pty.until_text("◌ Bash"));
}
