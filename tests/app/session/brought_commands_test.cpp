// Commands that people bring along, in the real program: what the model is sent, what runs, and what an
// untrusted folder may not do.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view answers = R"({"loop": true, "replies": [{"text": "Here."}]})";

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string answered(const Home& home, const FakeLlm& server, std::vector<std::string> arguments) {
  Headless tern(home, wires()[0], server.url(), std::move(arguments));
  tern.close_input();
  std::string all;
  while (const auto line = tern.line()) all += *line + "\n";
  tern.wait();
  return all + tern.errors();
}

bool sent(const FakeLlm& server, std::string_view text) {
  return server.requests().back().body.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a command of the project is sent as its prompt, its looking commands run, and what is refused says so") {
  Home home;
  FakeLlm server{answers};
  put(home.work / ".claude/commands/team/state.md", "State: !`echo al''pha`, !`touch made` of $1.");
  CHECK(answered(home, server, {"-p", "/team:state main"}).starts_with("Here.\n"));
  CHECK(sent(server, "State: alpha, [`touch made` was not run: blocked: "));
  CHECK(sent(server, " of main."));
  CHECK_FALSE(fs::exists(home.work / "made"));
}

TEST_CASE("a command of a folder that nobody has trusted is a text like any other, and runs nothing") {
  Home home;
  FakeLlm server{answers};
  put(home.path / ".config/tern/config.json", "{}");
  put(home.work / ".claude/commands/state.md", "Evil words !`echo x > made`");
  put(home.work / ".agents/commands/other.md", "Evil words !`echo x > made`");
  answered(home, server, {"-p", "/state", "--permission-mode", "bypass"});
  CHECK(sent(server, "/state"));
  CHECK_FALSE(sent(server, "Evil"));
  answered(home, server, {"-p", "/other", "--permission-mode", "bypass"});
  CHECK_FALSE(sent(server, "Evil"));
  CHECK_FALSE(fs::exists(home.work / "made"));
}

TEST_CASE("allowed-tools of the user's own command hold for its prompt; a project's grant nothing") {
  Home home;
  FakeLlm server{answers};
  constexpr std::string_view text = "---\nallowed-tools: Bash(touch:*)\n---\nDone: !`touch made`.";
  put(home.work / ".claude/commands/theirs.md", text);
  answered(home, server, {"-p", "/theirs"});
  CHECK_FALSE(fs::exists(home.work / "made"));
  put(home.path / ".claude/commands/own.md", text);
  answered(home, server, {"-p", "/own"});
  CHECK(fs::exists(home.work / "made"));
}
