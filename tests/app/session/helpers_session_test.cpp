// Helpers in the real program: offered where there are agents, gone with a kill and told so afterwards, and
// skills that fork into one. Folders' own memory files, which join when a tool meets them.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

void put_text(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

int ask_once(const Home& home, const FakeLlm& server, std::vector<std::string> arguments) {
  Headless tern(home, wires()[0], server.url(), std::move(arguments));
  tern.close_input();
  while (tern.line()) {}
  return tern.wait();
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

constexpr std::string_view task_call =
    R"({"calls": [{"name": "Task", "arguments": {"description": "look", "prompt": "Look for the needle.", "agent": "explorer"}}]})";

}  // namespace

TEST_CASE("Task is offered where there are agents of a trusted folder, and a setting takes it away") {
  for (const std::string_view variant : {"none", "agents", "untrusted", "extra", "disabled"}) {
    INFO(variant);
    Home home;
    FakeLlm server{R"({"default": {"text": "Here."}})"};
    if (variant != "none" && variant != "extra")
      put_text(home.work / ".claude/agents/explorer.md", "---\ndescription: Finds code\n---\nLook well.\n");
    std::vector<std::string> arguments{"-p", "hi"};
    if (variant == "untrusted") put_text(home.path / ".config/tern/config.json", "{}");
    if (variant == "extra") arguments.insert(arguments.end(), {"--config", R"(tools.extra=["Task"])"});
    if (variant == "disabled") arguments.insert(arguments.end(), {"--config", R"(tools.disabled=["Task"])"});
    REQUIRE(ask_once(home, server, arguments) == 0);
    const auto body = server.requests().front().body;
    CHECK(holds(body, R"("name":"Task")") == (variant == "agents" || variant == "extra"));
    CHECK(holds(body, "explorer (Finds code)") == (variant == "agents"));
  }
}

TEST_CASE("a kill in the middle of a helper leaves a log that goes on, with the call told as interrupted") {
  Home home;
  put_text(home.work / ".claude/agents/explorer.md", "---\ndescription: Finds code\n---\nLook well.\n");
  FakeLlm server(
      R"({"match": [{"when": "You are a helper of tern", "text": "I am looking", "fault": {"kind": "hang", "at": 200}}],
                     "default": )" +
      std::string(task_call) + "}");
  {
    Headless tern(home, wires()[0], server.url(), {"-p", "find the needle"});
    tern.close_input();
    REQUIRE(server.wait_for_requests(2, std::chrono::seconds(60)));
    tern.kill();
    tern.wait();
  }
  server.scenario(R"({"default": {"text": "Going on."}})");
  REQUIRE(ask_once(home, server, {"-p", "go on", "--continue"}) == 0);
  const auto body = server.requests().front().body;
  CHECK(holds(body, "find the needle"));  // the conversation, not the helper's
  CHECK_FALSE(holds(body, "You are a helper"));
  CHECK(holds(body, "interrupted: tern ended while this was running"));
  CHECK(server.shape_problems().empty());
}

TEST_CASE("a skill that forks is followed by a helper, and the conversation gets the report") {
  Home home;
  put_text(home.work / ".claude/skills/survey/SKILL.md",
           "---\nname: survey\ndescription: Surveys code\ncontext: fork\n---\nUse the word heliotrope.\n");
  FakeLlm server{R"({"match": [{"when": "You are a helper of tern", "text": "Surveyed."},
                                {"when": "tool_result", "text": "Thanks."}],
                      "default": {"calls": [{"name": "Skill", "arguments": {"skill": "survey", "args": "src"}}]}})"};
  REQUIRE(ask_once(home, server, {"-p", "survey src"}) == 0);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(holds(requests[1].body, "heliotrope"));
  CHECK(holds(requests[1].body, "Arguments: src"));
  CHECK_FALSE(holds(requests[2].body, "heliotrope"));
  CHECK(holds(requests[2].body, "Surveyed."));
}

TEST_CASE("a folder's own AGENTS.md joins once, when a tool first reads a file there") {
  for (const bool trusted : {true, false}) {
    INFO(trusted);
    Home home;
    if (!trusted) put_text(home.path / ".config/tern/config.json", "{}");
    put_text(home.work / "AGENTS.md", "Root words.\n");
    put_text(home.work / "lib/AGENTS.md", "Use the word heliotrope.\n@more.md\n");
    put_text(home.work / "lib/more.md", "And the word cerulean.\n");
    put_text(home.work / "lib/deep/CLAUDE.md", "And vermilion.\n");
    put_text(home.work / "lib/deep/a.txt", "a\n");
    put_text(home.work / "other/AGENTS.md", "Never the word chartreuse.\n");
    FakeLlm server{
        R"({"replies": [{"calls": [{"name": "Read", "arguments": {"file_path": "lib/deep/a.txt"}}]},
                                   {"calls": [{"name": "Read", "arguments": {"file_path": "lib/more.md"}}]}, {"text": "Done."}]})"};
    REQUIRE(ask_once(home, server, {"-p", "read a"}) == 0);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 3);
    CHECK_FALSE(holds(requests[0].body, "heliotrope"));
    const auto& body = requests[1].body;
    CHECK(holds(body, "heliotrope") == trusted);
    CHECK(holds(body, "cerulean") == trusted);
    CHECK(holds(body, "vermilion") == trusted);
    CHECK_FALSE(holds(body, "chartreuse"));
    if (trusted) {
      CHECK(body.find("heliotrope") < body.find("vermilion"));  // the nearest comes last
      const auto& last = requests[2].body;
      CHECK(last.find("heliotrope") == last.rfind("heliotrope"));
      server.scenario(
          R"({"replies": [{"calls": [{"name": "Read", "arguments": {"file_path": "lib/deep/a.txt"}}]}, {"text": "Done."}]})");
      REQUIRE(ask_once(home, server, {"-p", "again", "--continue"}) == 0);
      const std::string resumed = server.requests().back().body;
      CHECK(resumed.find("heliotrope") == resumed.rfind("heliotrope"));
      CHECK(holds(resumed, "heliotrope"));
    }
  }
}

TEST_CASE("what a folder that git ignores says joins nothing") {
  Home home;
  put_text(home.work / ".gitignore", "/deps/*\n");
  put_text(home.work / "deps/lib/AGENTS.md", "Use the word heliotrope.\n");
  put_text(home.work / "deps/lib/src/a.txt", "a\n");
  FakeLlm server{
      R"({"replies": [{"calls": [{"name": "Read", "arguments": {"file_path": "deps/lib/src/a.txt"}}]}, {"text": "Done."}]})"};
  REQUIRE(ask_once(home, server, {"-p", "read a"}) == 0);
  CHECK_FALSE(holds(server.requests().back().body, "heliotrope"));
}

TEST_CASE("the instructions of a folder are the same after compactions") {
  Home home;
  put_text(home.work / "lib/AGENTS.md", "Use the word heliotrope.\n");
  put_text(home.work / "lib/a.txt", "a\n");
  FakeLlm server{
      R"({"replies": [{"calls": [{"name": "Read", "arguments": {"file_path": "lib/a.txt"}}]}],
          "rounds": {"n": 40, "call": {"name": "Bash", "arguments": {"command": )"
      R"("for n in $(seq $i00 $i99); do echo the quick brown fox number $n jumps over a lazy dog; done"}}, )"
      R"("text": "Round $i.", "final": "all rounds done"}, "limit": 16000, "summary": {"text": "<summary>Short.</summary>"}})"};
  REQUIRE(ask_once(home, server,
                   {"-p", "do the rounds", "--window", "16000", "--permission-mode", "bypass"}) == 0);
  const auto body = server.requests().back().body;
  CHECK(holds(body, "lib/AGENTS.md\\\">\\nUse the word heliotrope.\\n"));
  CHECK(body.find("heliotrope") == body.rfind("heliotrope"));
}

TEST_CASE("/context and /cost tell of helpers, /memory of the folders' own files") {
  Home home;
  put_text(home.work / "lib/AGENTS.md", "Use the word heliotrope.\n");
  put_text(home.work / "lib/a.txt", "a\n");
  put_text(home.work / ".agents/agents/explorer.md", "---\ndescription: Finds code\n---\nLook well.\n");
  FakeLlm server{
      R"({"match": [{"when": "You are a helper of tern", "text": "Nowhere."}, {"when": "tool_result", "text": "Looked."}],
                     "default": {"calls": [{"name": "Read", "arguments": {"file_path": "lib/a.txt"}},
                                           {"name": "Task", "arguments": {"description": "look", "prompt": "Look."}}]}})"};
  Headless tern(home, wires()[0], server.url(), {"--plain"});
  const auto until = [&](std::string_view end) {
    while (const auto line = tern.line())
      if (holds(*line, end)) return *line;
    return std::string();
  };
  tern.write("look around");
  REQUIRE(until("ready") != "");
  tern.write("/memory");
  CHECK(holds(until("lib/AGENTS.md"), "tokens  (joined when a tool met its folder)"));
  tern.write("/context");
  CHECK(holds(until("helpers: "), "helpers: 1 run · explored "));
  tern.write("/cost");
  CHECK(until("helpers  ") != "");
}
