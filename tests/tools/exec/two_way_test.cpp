// A command that is talked to: input, output and errors apart.
#include <poll.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/commands.h"
#include "tools/exec/process.h"

using namespace tern;
using namespace tern::test;

namespace {

struct TwoWay {
  Process process;
  std::string output, errors;
  std::optional<ProcessEnd> end;

  explicit TwoWay(const std::string& command) {
    ProcessSpec spec = shell_spec(command, "/tmp");
    spec.two_way = true;
    REQUIRE(process.start(spec).empty());
  }
  // Reads until the condition holds or the command is gone.
  template <typename Condition>
  bool until(Condition condition) {
    bool out = true, err = true;
    while (!condition()) {
      pollfd fds[3] = {{out ? process.output_fd() : -1, POLLIN, 0},
                       {process.errors_fd(), POLLIN, 0},
                       {process.status_fd(), POLLIN, 0}};
      if (::poll(fds, 3, 10'000) == 0) return false;
      if (out) out = process.drain([this](std::string_view bytes) { output += bytes; });
      if (err) err = process.drain_errors([this](std::string_view bytes) { errors += bytes; });
      if (!end) end = process.ended();
      if (end && !out && !err) return condition();
    }
    return true;
  }
};

}  // namespace

TEST_CASE("a two-way command answers what it is told and keeps its errors apart") {
  TwoWay talk("echo ready >&2; while read line; do echo \"got $line\"; done; echo over >&2; exit 3");
  CHECK(talk.until([&] { return talk.errors == "ready\n"; }));
  CHECK(talk.process.write_input("one\n") == 4);
  CHECK(talk.until([&] { return talk.output == "got one\n"; }));
  CHECK(talk.process.write_input("two\n") == 4);
  talk.process.close_input();
  CHECK(talk.process.write_input("three\n") == -1);
  CHECK(talk.until([&] { return talk.end.has_value(); }));
  CHECK(talk.until([&] { return talk.errors == "ready\nover\n"; }));
  CHECK(talk.output == "got one\ngot two\n");
  CHECK(talk.end->status == 3);
}

TEST_CASE("a two-way command that closes its output is seen to, and one that reads nothing blocks nobody") {
  TwoWay talk("exec >&-; exec 2>&-; sleep 100");
  bool open = true;
  CHECK(talk.until([&] { return !(open = talk.process.drain([](std::string_view) {})); }));
  const std::string much(1 << 20, 'x');
  std::ptrdiff_t put = 1;
  while (put > 0) put = talk.process.write_input(much);
  CHECK(put == 0);
  talk.process.stop(std::chrono::milliseconds(0));
  CHECK(talk.until([&] { return talk.end.has_value(); }));
  CHECK(talk.process.write_input("x") == -1);
}

TEST_CASE("an ordinary command after a two-way one has no input again") {
  { TwoWay talk("cat"); }
  CHECK(run_command("readlink /proc/self/fd/0; cat").text == "/dev/null\n");
}
