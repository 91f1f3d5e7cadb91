// What the real program leaves behind: nothing in the temporary directory after an ordinary end, no process
// after kill -9.
#include <poll.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern::test;
namespace fs = std::filesystem;

namespace {

std::string scenario(const std::string& command, bool background) {
  const nlohmann::json arguments{{"command", command}, {"run_in_background", background}};
  return nlohmann::json{
      {"rounds", {{"n", 1}, {"call", {{"name", "Bash"}, {"arguments", arguments}}}, {"final", "all done"}}}}
      .dump();
}

// Processes whose command line holds `marker`.
int count_running(const std::string& marker) {
  int count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    if (entry.path().filename().native().find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "cmdline");
    std::string line;
    std::getline(in, line, '\xff');  // all of it; empty where it has just ended
    count += line.find(marker) != std::string::npos ? 1 : 0;
  }
  return count;
}

template <typename Condition>
bool soon(Condition condition, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 10);
  }
  return true;
}

std::vector<std::string> go_ahead() { return {"-p", "go", "--permission-mode", "bypass"}; }

}  // namespace

TEST_CASE("an ordinary end leaves nothing in the temporary directory and no process") {
  const std::string marker = "987" + std::to_string(::getpid());
  for (const bool background : {false, true}) {
    const Home home;
    const fs::path temp = home.path / "tmp";
    fs::create_directories(temp);
    const FakeLlm server(scenario("seq 300000; sleep " + std::string(background ? marker : "0"), background));
    Headless tern(home, wires()[0], server.url(), go_ahead(), {"TMPDIR=" + temp.string()});
    tern.close_input();
    while (tern.line()) {}
    CHECK(tern.wait() == 0);
    CHECK(fs::is_empty(temp));
    CHECK(soon([&] { return count_running(marker) == 0; }, std::chrono::seconds(5)));
  }
}

TEST_CASE("kill -9 of the program takes along whatever its commands started") {
  const std::string marker = "986" + std::to_string(::getpid()), no_end = "sleep " + marker;
  for (const std::string form : {"X", "X & wait", "setsid X & setsid setsid X & wait",
                                 "trap '' TERM HUP INT; X; X", "(nohup X &) ; X | cat"}) {
    const Home home;
    std::string command = "echo up > started; " + form;
    for (std::size_t at; (at = command.find('X')) != std::string::npos;) command.replace(at, 1, no_end);
    const FakeLlm server(scenario(command, false));
    Headless tern(home, wires()[0], server.url(), go_ahead());
    tern.close_input();
    INFO(form);
    REQUIRE(soon([&] { return count_running(marker) > 0 && fs::exists(home.work / "started"); },
                 std::chrono::seconds(60)));
    tern.kill();
    tern.wait();
    CHECK(soon([&] { return count_running(marker) == 0; },
               std::chrono::seconds(10)));  // tenths of a second on a quiet machine
  }
}
