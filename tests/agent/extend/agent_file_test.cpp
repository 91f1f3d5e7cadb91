// Agents as files: what is found, in which order, and what is left out.
#include "agent/extend/agent_file.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

void put_agent(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("an agent is a file with a head, and the nearest of a name wins") {
  const test::TempDir dir;
  const auto project = dir.path() / "project", home = dir.path() / "home";
  put_agent(project / ".claude/agents/explorer.md",
            "---\nname: explorer\ndescription: Finds code: quickly\ntools: Read, Grep, Bash(git "
            "log:*)\nmodel: inherit\n"
            "permissionMode: plan\nmaxTurns: 12\n---\nLook well.\n");
  put_agent(home / ".agents/agents/explorer.md", "---\ndescription: Another\n---\nHm.\n");
  put_agent(home / ".claude/agents/cheap.md",
            "---\ndescription: Costs little\nmodel: haiku\npermissionMode: bypassPermissions\n---\nHm.\n");
  put_agent(home / ".claude/agents/silent.md", "No head at all.\n");
  put_agent(home / ".claude/agents/README.md", "What these are.\n");
  put_agent(home / ".claude/agents/odd.md", "---\nname: ../odd\ndescription: Odd\n---\n");
  const BroughtPlaces places{.projects = {project}, .home = home, .config = home / "c"};
  const auto loaded = load_agents(places);
  REQUIRE(loaded.agents.size() == 2);
  const auto& explorer = loaded.agents.front();
  CHECK(explorer.name == "explorer");
  CHECK(explorer.description == "Finds code: quickly");
  CHECK(explorer.tools == std::vector<std::string>{"Read", "Grep", "Bash(git log:*)"});
  CHECK(explorer.model == "");
  CHECK(explorer.plan_only);
  CHECK(explorer.max_turns == 12);
  CHECK(explorer.body == "Look well.\n");
  CHECK(explorer.of_project);
  CHECK(loaded.find("cheap")->model == "haiku");
  CHECK_FALSE(loaded.find("cheap")->plan_only);
  CHECK(loaded.problems.size() == 3);
  CHECK(agent_names(loaded, 600) == "explorer (Finds code: quickly), cheap (Costs little)");
  CHECK(agent_names(loaded, 20) == "explorer, cheap");

  const BroughtPlaces untrusted{.projects = {}, .home = home, .config = home / "c"};
  CHECK(load_agents(untrusted).agents.front().source == "~/.agents/agents/explorer.md");
}
