// Skills in the real program: three levels of telling, once each, and instructions that every compaction
// leaves as they are.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "agent/extend/entry_approvals.h"
#include "agent/extend/skill.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view uses_it_twice =
    R"({"replies": [{"calls": [{"name": "Skill", "arguments": {"skill": "pdf"}}]},
                    {"calls": [{"name": "Skill", "arguments": {"skill": "pdf", "args": "b.pdf"}}]}, {"text": "Done."}],
        "default": {"text": "Here."}, "summary": {"text": "<summary>Short.</summary>"}})";

void put_skill(const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream(folder / "SKILL.md")
      << "---\nname: pdf\ndescription: Reads PDF files\n---\nUse the word heliotrope.\n";
  std::ofstream(folder / "forms.md") << "the third level";
}

void ask(const Home& home, const FakeLlm& server, std::string prompt) {
  Headless tern(home, wires()[0], server.url(), {"-p", std::move(prompt)});
  tern.close_input();
  while (tern.line()) {}
  tern.wait();
}

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a skill is named first, told whole when it is used, and told once") {
  Home home;
  FakeLlm server{uses_it_twice};
  put_skill(home.work / ".claude/skills/pdf");
  ask(home, server, "read a.pdf");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(times(requests[0].body, "- pdf: Reads PDF files") == 1);
  CHECK(times(requests[0].body, R"("name":"Skill")") == 1);
  CHECK(times(requests[0].body, "heliotrope") == 0);
  CHECK(times(requests[1].body, "heliotrope") == 1);
  CHECK(times(requests[1].body, "- forms.md") == 1);
  CHECK(times(requests[2].body, "heliotrope") == 1);
  CHECK(times(requests[2].body, "are in the conversation already. Follow them. Arguments: b.pdf") == 1);
  CHECK(times(requests[2].body, "the third level") == 0);
}

TEST_CASE("without skills, and in a folder that nobody has trusted, the model hears no word of them") {
  for (const bool trusted : {true, false}) {
    Home home;
    FakeLlm server{R"({"default": {"text": "Here."}})"};
    if (!trusted) {
      std::ofstream(home.path / ".config/tern/config.json") << "{}";
      put_skill(home.work / ".claude/skills/pdf");
      put_skill(home.work / ".agents/skills/other");
    }
    ask(home, server, "/pdf hello");
    const auto body = server.requests().front().body;
    CHECK(times(body, "kill") == 0);  // neither the tool nor the catalog
    CHECK(times(body, "heliotrope") == 0);
  }
}

TEST_CASE(
    "the user names a skill before anything else, and its instructions are the same after compactions") {
  Home home;
  FakeLlm server{
      R"({"rounds": {"n": 40, "call": {"name": "Bash", "arguments": {"command": )"
      R"("for n in $(seq $i00 $i99); do echo the quick brown fox number $n jumps over a lazy dog; done"}}, )"
      R"("text": "Round $i.", "final": "all rounds done"}, "limit": 16000, "summary": {"text": "<summary>Short.</summary>"}})"};
  put_skill(home.path / ".claude/skills/pdf");
  Headless tern(home, wires()[0], server.url(),
                {"--plain", "--window", "16000", "--permission-mode", "bypass"});
  const auto until = [&](std::string_view end) {
    while (const auto line = tern.line())
      if (line->find(end) != std::string::npos) return true;
    return false;
  };
  tern.write("/pdf do the rounds");
  REQUIRE(until("all rounds done"));
  const auto body = server.requests().back().body;
  CHECK(times(body, "the quick brown fox") < 40 * 50);  // most has been compacted away
  CHECK(times(body, "Use the word heliotrope.\\n") == 1);
  tern.write("/pdf once more");
  REQUIRE(until("ready"));
  CHECK(times(server.requests().back().body, "heliotrope") == 1);
}

TEST_CASE("a project's skill that has changed since the session began is not used") {
  Home home;
  put_skill(home.work / ".claude/skills/pdf");
  FakeLlm server{R"({"replies": [
    {"calls": [{"name": "Bash", "arguments": {"command": "sed -i s/heliotrope/evil/ .claude/skills/pdf/SKILL.md"}}]},
    {"calls": [{"name": "Skill", "arguments": {"skill": "pdf"}}]}, {"text": "Done."}]})"};
  Headless tern(home, wires()[0], server.url(), {"-p", "go", "--dangerously-skip-permissions"});
  tern.close_input();
  while (tern.line()) {}
  tern.wait();
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(times(requests[2].body, "The skill pdf has changed and the user has not approved it.") == 1);
  CHECK(times(requests[2].body, "Use the word") == 0);
}

TEST_CASE("a project's skill that the user refused is not named, and the user's own of that name is") {
  Home home;
  put_skill(home.work / ".claude/skills/pdf");
  const auto found = load_skills({.projects = {home.work}, .home = {}, .config = {}});
  EntryApprovals approvals(home.path / ".local/state/tern/approved");
  REQUIRE(approvals.decide(home.work, found.skills.at(0).hash, EntryAnswer::refused).empty());
  FakeLlm server{R"({"default": {"text": "Here."}})"};
  ask(home, server, "hello");
  CHECK(times(server.requests().at(0).body, "Reads PDF files") == 0);
  put_skill(home.path / ".claude/skills/pdf");
  ask(home, server, "hello");
  CHECK(times(server.requests().at(1).body, "Reads PDF files") == 1);
}

TEST_CASE("of many skills those used last stay through a compaction") {
  Home home;
  for (int i = 1; i <= 9; ++i) {
    const auto name = "skill-" + std::to_string(i);
    fs::create_directories(home.path / ".claude/skills" / name);
    std::ofstream skill(home.path / ".claude/skills" / name / "SKILL.md");
    skill << "---\ndescription: About " << name << "\n---\n";
    for (int line = 0; line < 330; ++line)
      skill << "Rule " << line << " of " << name << ": keep it as it is.\n";
  }
  FakeLlm server{R"({"default": {"text": "Done."}, "summary": {"text": "<summary>Short.</summary>"}})"};
  Headless tern(home, wires()[0], server.url(), {"--plain", "--permission-mode", "bypass"});
  const auto until = [&](std::string_view end) {
    while (const auto line = tern.line())
      if (line->find(end) != std::string::npos) return true;
    return false;
  };
  for (int i = 1; i <= 9; ++i) {
    tern.write("/skill-" + std::to_string(i));
    REQUIRE(until("ready"));
  }
  for (int i = 0; i < 12; ++i) {  // what was said last is protected
    tern.write("go on " + std::to_string(i));
    REQUIRE(until("ready"));
  }
  tern.write("/compact");
  tern.write("and now");
  REQUIRE(until("ready"));
  const auto body = server.requests().back().body;
  CHECK(times(body, "Rule 300 of skill-1:") == 0);
  CHECK(times(body, "Rule 300 of skill-9:") == 1);
  CHECK(times(body, "Rule 300 of skill-6:") == 1);
}
