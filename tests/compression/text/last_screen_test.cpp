#include "compression/text/last_screen.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/reading/snip.h"
#include "compression/text/clean_output.h"

using namespace tern;

namespace {

std::string shown(std::string_view text) { return without_terminal_codes(last_screen(text)); }

std::string docker_pull(int frames) {
  std::string out = "latest: Pulling from library/debian\n";
  for (const char* layer : {"a1", "b2", "c3"}) out += std::string(layer) + ": Pulling fs layer\n";
  for (int i = 0; i <= frames; ++i) {
    const int row = i % 3;
    const std::string up = std::to_string(3 - row), down = std::to_string(3 - row);
    const std::string layer = row == 0 ? "a1" : row == 1 ? "b2" : "c3";
    out += "\x1b[" + up + "A\x1b[2K\r" + layer +
           (i + 3 > frames ? ": Pull complete" : ": Downloading " + std::to_string(i)) + "\r\x1b[" + down +
           "B";
  }
  return out + "Status: Downloaded newer image\n";
}

}  // namespace

TEST_CASE("text that never goes up comes back as it is") {
  for (const std::string text :
       {"", "plain\n", "10%\r20%\n", "\x1b[31mred\x1b[0m\n", "\x1b[2K\x1b[Jx", "\x1b[", "\x1b[12"})
    CHECK(last_screen(text) == text);
}

TEST_CASE("lines that were written again show their last state") {
  CHECK(shown("a 1\nb 1\n\x1b[2Aa 2\nb 2\n") == "a 2\nb 2\n");
  CHECK(shown("a 1\nb 1\n\x1b[2A\x1b[2K\ra 2\n\x1b[2Kb 2\ndone\n") == "a 2\nb 2\ndone\n");
  CHECK(shown("a\nb\nc\n\x1b[3A\x1b[2KA\r\x1b[3B") == "A\nb\nc\n");
  CHECK(shown("one\ntwo\n\x1b[Fthree") == "one\nthree\n");
  CHECK(shown("one\ntwo\n\x1b[1A\x1b[Knew\n") == "one\nnew\n");
}

TEST_CASE("what was erased is gone, and no blank lines stay where it stood") {
  CHECK(shown("[ ] a\n[ ] b\n\x1b[2A\x1b[Jadded 20 packages\n") == "added 20 packages\n");
  CHECK(shown("a\nb\n\x1b[1A\x1b[2K\x1b[1A\x1b[2Kdone\n") == "done\n");
}

TEST_CASE("a display of many states is its last screen") {
  const std::string out = shown(docker_pull(3'000));
  CHECK(out ==
        "latest: Pulling from library/debian\na1: Pull complete\nb2: Pull complete\nc3: Pull complete\n"
        "Status: Downloaded newer image\n");
  CHECK(last_screen(docker_pull(200'000)).size() < 20'000);
}

TEST_CASE("orders out of place do no harm") {
  CHECK(shown("\x1b[99Ax") == "x");
  CHECK(shown("a\n\x1b[99999999999999999999Ab") == "b\n");
  CHECK(shown("a\x1b[1A\x1b[99Bb") == "b");
  CHECK(shown("a\nb\n\x1b[2A") == "a\nb\n");
}

TEST_CASE("a result is the last screen before it is counted or cut") {
  const std::string out = snip_text(docker_pull(3'000), SnipForm{}, RecallId{17});
  CHECK(out.find("Downloading") == out.npos);
  CHECK(out.find("c3: Pull complete\nStatus") != out.npos);
  CHECK(out.find("recall") == out.npos);
}
