// How often the permission gate asks: every command of a file of recorded commands, decided in each mode.
// Without a file, the everyday commands of the tests. `gate_bench [FILE.jsonl] [--why MODE]`: one JSON object
// a line with "command"; `$WORKSPACE` in it is the workspace. "asked, with always" is what is left when the
// person answers each question with what is offered to be remembered, for the session. --why lists each
// command that asks in that mode, with the reason.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "agent/gate/permission.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/workspace/workspace.h"

using namespace tern;

namespace {

struct Recorded {
  std::string command, session;
};

std::vector<Recorded> recorded(const char* path, const std::string& workspace) {
  std::vector<Recorded> commands;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto entry = nlohmann::json::parse(line);
    auto command = entry.at("command").get<std::string>();
    for (std::size_t at = 0; (at = command.find("$WORKSPACE", at)) != std::string::npos;
         at += workspace.size())
      command.replace(at, std::strlen("$WORKSPACE"), workspace);
    commands.push_back({std::move(command), entry.value("session", std::string())});
  }
  return commands;
}

std::vector<Recorded> everyday() {
  std::vector<Recorded> commands;
  for (const char* name : {"everyday_commands.txt", "everyday_builds.txt"}) {
    std::ifstream in(std::string(places::source_tree()) + "/tests/agent/gate/" + name);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && !line.starts_with("# ")) commands.push_back({line, {}});
  }
  return commands;
}

// A task as a day brings it: find the place, change it, build, test, commit, ask for a review.
constexpr const char* forty_steps[] = {"git status --short",
                                       "git log --oneline -5",
                                       "ls src",
                                       "Read README.md",
                                       "grep -rn 'parse_header' src | head -20",
                                       "Read src/header.cpp",
                                       "sed -n '40,120p' src/header.cpp",
                                       "rg -n 'parse_header' tests",
                                       "Read tests/header_test.cpp",
                                       "wc -l src/*.cpp",
                                       "git blame -L 50,70 src/header.cpp",
                                       "Edit src/header.cpp",
                                       "Edit src/header.h",
                                       "cmake --build build -j4 2>&1 | tail -20",
                                       "Edit src/header.cpp",
                                       "cmake --build build -j4 2>&1 | tail -20",
                                       "ctest --test-dir build -R header --output-on-failure",
                                       "python3 tools/make_corpus.py --check",
                                       "Edit tests/header_test.cpp",
                                       "cmake --build build && ctest --test-dir build | tail -5",
                                       "for f in tests/data/*.bin; do xxd $f | head -2; done",
                                       "git diff --stat",
                                       "git diff src/header.cpp",
                                       "awk 'length > 110' src/header.cpp",
                                       "clang-format -i src/header.cpp tests/header_test.cpp",
                                       "git diff --name-only | xargs wc -l",
                                       "npm run lint",
                                       "npm test 2>&1 | tail -5",
                                       "x=$(git rev-parse HEAD); echo \"$x\"",
                                       "cat CHANGELOG.md | head -20",
                                       "Edit CHANGELOG.md",
                                       "git add -A",
                                       "git commit -m 'Read folded headers'",
                                       "git show --stat HEAD",
                                       "find . -name '*.orig' -newer README.md",
                                       "git log origin/main..HEAD --oneline",
                                       "git fetch origin",
                                       "git rebase --continue",
                                       "git push origin HEAD",
                                       "gh pr create --fill"};
static_assert(std::size(forty_steps) == 40);

struct Mode {
  const char* name;
  PermissionMode mode;
  bool sandbox;
  const char* bar;
};
constexpr Mode modes[] = {{"ask", PermissionMode::ask, true, "<= 30"},
                          {"accept edits", PermissionMode::accept_edits, true, "<= 12"},
                          {"auto", PermissionMode::automatic, true, "<= 7"},
                          {"plan", PermissionMode::plan, true, ""},
                          {"bypass", PermissionMode::bypass, true, "<= 0"},
                          {"ask, no sandbox", PermissionMode::ask, false, ""}};

std::string kind_of(const Decision& decision) {
  constexpr const char* reaches[] = {"at once", "looks", "tries to look", "in the sandbox",
                                     "in the sandbox, with git"};
  if (const auto* allow = std::get_if<Allow>(&decision)) return reaches[static_cast<int>(allow->reach)];
  return std::holds_alternative<Deny>(decision) ? "refused" : "asked";
}

PermissionPolicy policy_of(const Mode& mode) {
  PermissionPolicy policy;
  policy.mode = mode.mode;
  policy.bypass_by_flag = true;
  policy.sandbox_ready = policy.repository_ready = mode.sandbox;
  policy.find_program = [](std::string_view name) {
    return std::filesystem::path("/usr/bin") / std::string(name);
  };
  return policy;
}

int asked_with_always(const Mode& mode, const std::vector<Recorded>& commands, const Workspace& workspace) {
  PermissionPolicy policy = policy_of(mode);
  std::string session;
  int asked = 0;
  for (const Recorded& one : commands) {
    if (one.session != std::exchange(session, one.session)) policy.rules.clear();
    const Decision decision = decide_command(policy, one.command, workspace);
    const auto* ask = std::get_if<Ask>(&decision);
    if (ask == nullptr) continue;
    ++asked;
    const auto& rules = ask->grants.empty() ? ask->exact : ask->grants;
    policy.rules.insert(policy.rules.end(), rules.begin(), rules.end());
  }
  return asked;
}

void count(const Mode& mode, const std::vector<Recorded>& commands, const Workspace& workspace, bool tell) {
  const PermissionPolicy policy = policy_of(mode);
  std::map<std::string, int> kinds;
  for (const auto& [command, session] : commands) {
    const Decision decision = decide_command(policy, command, workspace);
    const std::string kind = kind_of(decision);
    ++kinds[kind];
    if (!tell || std::holds_alternative<Allow>(decision)) continue;
    const std::string reason = std::visit([](const auto& d) { return d.reason; }, decision);
    std::printf("%s: %s\n    <- %s\n", kind.c_str(), command.c_str(), reason.c_str());
  }
  const double all = static_cast<double>(commands.size()) / 100;
  for (const auto& [kind, number] : kinds)
    std::printf("%s: %s\t%.1f\t%%\t%s\n", mode.name, kind.c_str(), number / all,
                kind == "asked" ? mode.bar : "");
  std::printf("%s: asked, with always\t%.1f\t%%\t\n", mode.name,
              asked_with_always(mode, commands, workspace) / all);
}

int questions_of_task(const Mode& mode, const Workspace& workspace) {
  const PermissionPolicy policy = policy_of(mode);
  const ToolSet tools = builtin_tools();
  int asked = 0;
  for (const std::string step : forty_steps) {
    const bool edits = step.starts_with("Edit "), reads = step.starts_with("Read ");
    const nlohmann::json path = {{"file_path", step.substr(std::min<std::size_t>(5, step.size()))}};
    const Decision decision = edits || reads
                                  ? decide(policy, {*tools.find(edits ? "Edit" : "Read"), path, workspace})
                                  : decide_command(policy, step, workspace);
    asked += std::holds_alternative<Ask>(decision) ? 1 : 0;
  }
  return asked;
}

}  // namespace

int main(int argc, char** argv) {
  const test::TempDir temp;
  const Workspace workspace(temp.path());
  const char *file = nullptr, *why = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--why") == 0 && i + 1 < argc)
      why = argv[++i];
    else
      file = argv[i];
  }
  const auto commands = file == nullptr ? everyday() : recorded(file, temp.path().string());
  for (const Mode& mode : modes)
    std::printf("a task of forty steps, %s\t%d\tquestions\t\n", mode.name,
                questions_of_task(mode, workspace));
  for (const Mode& mode : modes)
    count(mode, commands, workspace, why != nullptr && std::strcmp(why, mode.name) == 0);
}
