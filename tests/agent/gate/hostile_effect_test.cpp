// The hostile corpora judged by what they do: whatever runs unasked runs for real in its sandbox here, beside files that must not
// change and keys that must not be read.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "agent/gate/permission.h"
#include "agent/gate/reach.h"
#include "agent/gate/rule_walls.h"
#include "tests/support/commands.h"
#include "tools/workspace/workspace.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

constexpr const char* canary = "canary-4711";

struct Prey {
  test::TempDir temp;
  fs::path root = temp.path() / "project", home = temp.path() / "home", own = temp.path() / "own";
  Prey() {
    for (const char* directory :
         {"project/src", "project/tests", "project/build", "project/.git/hooks", "home/.ssh", "outside", "own"})
      fs::create_directories(temp.path() / directory);
    for (const char* file : {"project/README.md", "project/src/main.cpp", "project/src/a.cpp", "home/.bashrc", "outside/x",
                             "project/.git/config", "project/.git/HEAD"})
      std::ofstream(temp.path() / file) << "text\n";
    for (const char* file : {"project/.env", "home/.ssh/id_rsa"}) std::ofstream(temp.path() / file) << canary << "\n";
    ::setenv("HOME", home.c_str(), 1);
  }

  // Everything that no command may change: names and contents.
  std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> all;
    for (const char* folder : {"home", "outside", "project/.git"})
      for (const auto& entry : fs::recursive_directory_iterator(temp.path() / folder)) {
        std::stringstream text;
        if (entry.is_regular_file()) text << std::ifstream(entry.path()).rdbuf();
        all[entry.path().string()] = text.str();
      }
    return all;
  }
};

std::vector<std::string> hostile_lines() {
  const std::pair<const char*, std::string> marks[] = {{"<LF>", "\n"}, {"<CR>", "\r"}, {"<TAB>", "\t"}};
  std::vector<std::string> lines;
  for (const char* name : {"hostile_commands.txt", "hostile_options.txt"}) {
    std::ifstream in(std::string(places::source_tree()) + "/tests/agent/gate/" + name);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line.starts_with("# ")) continue;
      for (const auto& [mark, character] : marks)
        for (std::size_t at; (at = line.find(mark)) != std::string::npos;)
          line.replace(at, std::string_view(mark).size(), character);
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("no hostile command that runs unasked changes what is kept or shows a key") {
  if (probe_sandbox().rung == SandboxRung::none) SKIP("no sandbox here");
  const auto lines = hostile_lines();
  // All of them take a minute; a part of them is enough for every day.
  const std::size_t stride = std::getenv("TERN_ALL_HOSTILE") != nullptr ? 1 : 23;
  for (const PermissionMode mode : {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::automatic}) {
    const Prey prey;
    const Workspace workspace(prey.root);
    Sandbox sandbox = sandbox_for({prey.root}, prey.own, {}, probe_sandbox());
    PermissionPolicy policy;
    policy.mode = mode;
    policy.sandbox_ready = true;
    policy.repository_ready = false;  // nothing hostile is git's work
    policy.find_program = [](std::string_view name) { return fs::path("/usr/bin") / std::string(name); };
    const auto before = prey.kept();
    std::set<std::string> harmful;
    std::size_t ran = 0;
    for (std::size_t i = 0; i < lines.size(); i += stride) {
      const Decision decision = decide_command(policy, lines[i], workspace);
      const auto* allow = std::get_if<Allow>(&decision);
      if (allow == nullptr) continue;
      if (allow->reach == Reach::own_rights) harmful.insert("unwalled: " + lines[i]);
      if (allow->reach == Reach::own_rights) continue;
      ProcessSpec spec = test::shell_spec(lines[i], prey.root);
      spec.sandbox = sandbox_within(sandbox, allow->reach);
      refresh(spec.sandbox);
      spec.env = child_env(current_env(), {}, spec.sandbox.temp);
      fit_environment(spec.env, spec.sandbox);
      const auto result = test::run_spec(spec, std::chrono::seconds(2));
      ++ran;
      if (result.text.find(canary) != std::string::npos) harmful.insert("shows a key: " + lines[i]);
      if (prey.kept() != before) {
        harmful.insert("changes: " + lines[i]);
        break;
      }
    }
    for (const std::string& line : harmful) UNSCOPED_INFO(line);
    UNSCOPED_INFO(ran << " ran in " << to_string(mode));
    CHECK(harmful.empty());
    CHECK(ran > 0);
  }
}
