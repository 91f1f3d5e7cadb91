#include "agent/gate/permission.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/gate/command_kinds.h"
#include "tests/support/commands.h"
#include "tests/support/places.h"
#include "tests/support/sanitized.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/files/change_preview.h"
#include "tools/workspace/workspace.h"

using namespace tern;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* person_rules[] = {
    "git status:*", "git log:*",    "git diff:*",  "git add:*", "git commit:*", "npm run test:*",
    "npm test:*",   "cargo test:*", "make test:*", "cmake:*",   "ctest:*",      "ninja:*",
    "ls:*",         "cat:*",        "grep:*",      "rg:*",      "find:*",       "sed:*",
    "echo:*",       "go test:*",    "pytest:*",    "gcc:*"};
constexpr const char* everyday_rules[] = {"git add:*",
                                          "git commit:*",
                                          "git fetch:*",
                                          "git stash",
                                          "npm test:*",
                                          "npm run:*",
                                          "npm install",
                                          "npm ci",
                                          "yarn test:*",
                                          "pnpm test:*",
                                          "cargo build:*",
                                          "cargo test:*",
                                          "cargo check:*",
                                          "cargo clippy:*",
                                          "cargo fmt:*",
                                          "go build:*",
                                          "go test:*",
                                          "go vet:*",
                                          "make:*",
                                          "cmake:*",
                                          "ctest:*",
                                          "ninja:*",
                                          "pytest:*",
                                          "python3 -m pytest:*",
                                          "python3 -m mypy:*",
                                          "ruff:*",
                                          "black:*",
                                          "mypy:*",
                                          "eslint:*",
                                          "tsc:*",
                                          "prettier:*",
                                          "gcc:*",
                                          "g++:*",
                                          "clang-format:*",
                                          "clang-tidy:*",
                                          "mkdir:*",
                                          "touch:*",
                                          "docker ps:*",
                                          "docker images:*",
                                          "pip list:*",
                                          "pip install:*",
                                          "./gradlew:*",
                                          "./run_tests.sh:*",
                                          "mvn test:*"};

// Beside those of every day.
constexpr const char* granted_rules[] = {"git status:*",   "git log:*",
                                         "git diff:*",     "git show:*",
                                         "git pull:*",     "git merge:*",
                                         "git stash:*",    "git switch:*",
                                         "git apply:*",    "git cherry-pick:*",
                                         "npm run test:*", "cargo doc:*",
                                         "go list:*",      "meson:*",
                                         "bazel build:*",  "bazel test:*",
                                         "isort:*",        "flake8:*",
                                         "jest:*",         "vitest:*",
                                         "mocha:*",        "clang:*",
                                         "rustc:*",        "rustfmt:*",
                                         "gofmt:*",        "javac:*",
                                         "shellcheck:*",   "ls:*",
                                         "cat:*",          "grep:*",
                                         "rg:*",           "find:*",
                                         "sed:*",          "echo:*",
                                         "sort:*",         "head:*",
                                         "tail:*",         "jq:*",
                                         "diff:*",         "cp:*",
                                         "tar:*",          "curl:*",
                                         "wget:*",         "rsync:*",
                                         "docker build:*", "docker logs:*",
                                         "uv sync:*",      "poetry install:*",
                                         "mvn:*",          "gradle:*",
                                         "dotnet build:*", "dotnet test:*",
                                         "dotnet run:*",   "swift build:*",
                                         "swift test:*",   "swift run:*",
                                         "xxd:*",          "test:*",
                                         "rake:*",         "tox:*"};
constexpr const char* build_rules[] = {
    "meson:*",       "bazel build:*",  "bazel test:*",     "mvn:*",
    "gradle:*",      "dotnet build:*", "dotnet test:*",    "dotnet restore",
    "swift build:*", "swift test:*",   "rake:*",           "tox:*",
    "jest:*",        "vitest:*",       "mocha:*",          "flake8:*",
    "isort:*",       "uv sync:*",      "poetry install:*", "rustc:*",
    "javac:*",       "git pull:*",     "git switch:*",     "git cherry-pick:*",
    "git merge:*",   "git apply:*",    "curl:*",           "docker build:*",
    "docker logs:*", "shellcheck:*",   "rustfmt:*",        "gofmt:*",
    "cp:*",          "go list:*",      "git stash push:*"};

PermissionRule rule(const std::string& text, PermissionRule::Kind kind = PermissionRule::Kind::allow) {
  PermissionRule made;
  std::string error;
  INFO(text);
  const bool good = parse_rule(builtin_tools(), text, kind, "test", made, error);
  INFO(error);
  REQUIRE(good);
  return made;
}

// A project as people have it, a secret beside it, and what an attacker would have prepared.
struct Project {
  test::TempDir temp;
  fs::path root = temp.path() / "project", home = temp.path() / "home";
  Project() {
    for (const char* directory :
         {"project/src/util", "project/tests", "project/build", "project/.git/hooks", "project/.compression",
          "project/nested/.git", "project/bin", "project/pkg", "home/.ssh", "outside"})
      fs::create_directories(temp.path() / directory);
    for (const char* file :
         {"project/README.md", "project/package.json", "project/src/main.cpp", "project/src/a.cpp",
          "project/src/b.cpp", "project/.env", "home/.ssh/id_rsa", "outside/x"})
      std::ofstream(temp.path() / file) << "text\n";
    fs::create_directory_symlink(temp.path() / "outside", root / "link-out");
    ::setenv("HOME", home.c_str(), 1);
  }
  Workspace workspace{(fs::create_directories(temp.path() / "project"), root)};
};

PermissionPolicy policy_of(PermissionMode mode, const std::vector<PermissionRule>& rules = {}) {
  PermissionPolicy policy;
  policy.mode = mode;
  policy.rules = rules;
  policy.find_program = [](std::string_view name) { return fs::path("/usr/bin") / std::string(name); };
  return policy;
}

std::string kind_of(const Decision& decision) {
  constexpr const char* reaches[] = {"allow", "look", "try", "sandboxed", "git"};
  if (const auto* allow = std::get_if<Allow>(&decision)) return reaches[static_cast<int>(allow->reach)];
  return std::holds_alternative<Deny>(decision) ? "deny" : "ask";
}
std::string reason_of(const Decision& decision) {
  return std::visit([](const auto& d) { return d.reason; }, decision);
}

std::vector<std::string> corpus(const char* name) {
  static const std::pair<const char*, std::string> names[] = {
      {"<LF>", "\n"},           {"<CR>", "\r"},
      {"<TAB>", "\t"},          {"<ESC>", "\x1b"},
      {"<BEL>", "\a"},          {"<NUL>", std::string(1, '\0')},
      {"<NBSP>", "\xc2\xa0"},   {"<ZWSP>", "\xe2\x80\x8b"},
      {"<RLO>", "\xe2\x80\xae"}};
  std::vector<std::string> lines;
  std::ifstream in(std::string(places::source_tree()) + "/tests/agent/gate/" + name);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.rfind("# ", 0) == 0) continue;
    for (const auto& [mark, character] : names)
      for (std::size_t at; (at = line.find(mark)) != std::string::npos;)
        line.replace(at, std::string_view(mark).size(), character);
    lines.push_back(line);
  }
  return lines;
}

Tool tool_of(std::string_view name, Effect effect) {
  Tool tool{};
  tool.name = name;
  tool.effects = effect;
  if (effect == Effect::read || effect == Effect::write) tool.paths = path_of_call;
  return tool;
}

}  // namespace

TEST_CASE("no hostile command passes any rule unasked") {
  const Project project;
  std::vector<PermissionPolicy> policies;
  std::vector<PermissionRule> all;
  for (const char* spec : person_rules) {
    all.push_back(rule("Bash(" + std::string(spec) + ")"));
    policies.push_back(policy_of(PermissionMode::ask, {all.back()}));
  }
  policies.push_back(policy_of(PermissionMode::ask, all));
  policies.push_back(policy_of(PermissionMode::accept_edits, all));
  const std::vector<std::string> lines = corpus("hostile_commands.txt");
  CHECK(lines.size() >= 400);
  std::set<std::string> passed;
  for (const std::string& line : lines)
    for (std::size_t i = line.size() % test::stride; i < policies.size(); i += test::stride)
      if (kind_of(decide_command(policies[i], line, project.workspace)) == "allow") passed.insert(line);
  for (const std::string& line : passed) UNSCOPED_INFO(line);
  CHECK(passed.empty());
}

TEST_CASE("no option or address leads a granted program elsewhere") {
  const Project project;
  std::vector<PermissionRule> all;
  for (const char* spec : everyday_rules) all.push_back(rule("Bash(" + std::string(spec) + ")"));
  for (const char* spec : granted_rules) all.push_back(rule("Bash(" + std::string(spec) + ")"));
  const PermissionPolicy policy = policy_of(PermissionMode::accept_edits, all);
  const std::vector<std::string> lines = corpus("hostile_options.txt");
  CHECK(lines.size() >= 900);
  std::set<std::string> passed;
  for (const std::string& line : lines)
    if (kind_of(decide_command(policy, line, project.workspace)) == "allow") passed.insert(line);
  for (const std::string& line : passed) UNSCOPED_INFO(line);
  CHECK(passed.empty());
}

TEST_CASE("ordinary days ask little") {
  const Project project;
  std::vector<PermissionRule> rules;
  for (const char* spec : everyday_rules) rules.push_back(rule("Bash(" + std::string(spec) + ")"));
  const auto [file, count] =
      GENERATE(std::pair{"everyday_commands.txt", 300}, std::pair{"everyday_builds.txt", 150});
  if (count == 150)
    for (const char* spec : build_rules) rules.push_back(rule("Bash(" + std::string(spec) + ")"));
  const PermissionPolicy policy = policy_of(PermissionMode::ask, rules);
  const std::vector<std::string> lines = corpus(file);
  CHECK(lines.size() >= static_cast<std::size_t>(count));
  std::size_t asked = 0;
  for (const std::string& line : lines) {
    const Decision decision = decide_command(policy, line, project.workspace);
    if (kind_of(decision) == "allow") continue;
    ++asked;
    UNSCOPED_INFO(line + "   <- " + reason_of(decision));
  }
  INFO(asked << " of " << lines.size() << " ask");
  CHECK(asked <= lines.size() / 20);
  if (std::getenv("TERN_SHOW") != nullptr) WARN(asked << " of " << lines.size() << " everyday commands ask");
}

TEST_CASE("the destructive gate holds in every mode but bypass and shows what would be hit") {
  const Project project;
  const PermissionPolicy ask = policy_of(PermissionMode::ask);
  PermissionPolicy automatic = policy_of(PermissionMode::automatic);
  automatic.sandbox_ready = true;
  for (const char* line : {"rm -rf /",
                           "rm -rf ~",
                           "rm -rf .",
                           "rm -rf *",
                           "rm -rf ..",
                           "rm -rf ../outside",
                           "rm -rf \"$X\"",
                           "sudo rm -r /etc",
                           "sh -c 'rm -rf /'",
                           "x=1; (rm -rf ~)",
                           "git push --force",
                           "git push origin +main",
                           "git reset --hard",
                           "git clean -fd",
                           "git checkout -- .",
                           "git branch -D main",
                           "git commit --amend",
                           "git -C x push -f",
                           "git rebase main",
                           "find . -delete",
                           "find / -name x -delete",
                           "dd if=a of=/dev/sda",
                           "echo x > /dev/sda",
                           "chmod -R 000 /",
                           "kill -9 -1",
                           ":(){ :|:& };:",
                           "rm -rf .git",
                           "rm --re -f ~",
                           "rm --r -f /",
                           "git commit --am -m x",
                           "git reset --ha",
                           "git push --fo",
                           "rm -rf ~+",
                           "rm -rf ~-",
                           "rm -rf ~root",
                           "rm -rf ?*",
                           "rm -rf [!.]*",
                           "rm -rf ./??*",
                           "rm -rf {,.}*",
                           "time -p rm -rf ~",
                           "time -p -- rm -rf ~",
                           "command cd ..; rm -rf project",
                           "builtin cd /; rm -rf etc",
                           "eval 'cd /'; rm -rf etc",
                           "CDPATH=/; cd src; rm -rf etc",
                           "env -C .. rm -rf x",
                           "env -C.. rm -rf x",
                           "env --chdir=.. rm -rf x",
                           "env --ch .. rm -rf x",
                           "sudo -D / rm -rf x",
                           "sh -c 'cd /; rm -rf etc'",
                           "bash <<< 'rm -rf ~'",
                           "bash <<E\nrm -rf ~\nE",
                           "cat <<E | sh\nrm -rf ~\nE",
                           "echo 'rm -rf ~' | sh",
                           "echo rm -rf '~' | sudo bash",
                           "printf '%s' 'rm -rf ~' | sh -s",
                           "env -S'rm -rf ~'",
                           "env -iS 'rm -rf ~'",
                           "env --split-string='rm -rf ~'",
                           "env --split='rm -rf ~'",
                           "flock f -c 'rm -rf ~'",
                           "xargs -I% sh -c 'rm -rf %'",
                           "parallel 'rm -rf {}'",
                           "{rm,-rf,/}",
                           "a=rm; $a -rf ~",
                           "\"$a\" -rf ~",
                           "sudo $a -rf ~",
                           "sh -c '$a -rf ~'",
                           "sh -c \"$a\"",
                           "eval \"$a\"",
                           "$'rm' -rf /",
                           "r$()m -rf /",
                           "git checkout README.md",
                           "git checkout src",
                           "git checkout HEAD~1 src/main.cpp",
                           "git checkout '*.cpp'",
                           "git -C src checkout main.cpp",
                           "git clean -fdxen",
                           "git clean -fd -- -n",
                           "git clean -f -e -n",
                           "git rebase main --skip",
                           "git reset origin/main",
                           "git fetch -f",
                           "git fetch origin +main:main",
                           "chmod 000 /",
                           "chmod 000 ~",
                           "chown me ..",
                           "mv ~ x",
                           "setfacl -R -b /",
                           "cp x /dev/sda",
                           "tee /dev/sda",
                           "echo x | tee -a /dev/sda",
                           "cat x > /proc/../dev/sda",
                           "sh -c 'cat x > /dev/sda'",
                           "dd if=a of=/proc/../dev/sda",
                           "fd . / --exec rm -rf",
                           "fd -t f . ~ -X rm -rf",
                           "perf stat rm -rf ~",
                           "valgrind -q rm -rf ~",
                           "gdb --args rm -rf ~",
                           "faketime x rm -rf ~",
                           "uv run rm -rf ~",
                           "poetry run rm -rf ~",
                           "bundle exec rm -rf ~",
                           "npx rm -rf ~",
                           "runuser -c 'rm -rf ~'",
                           "bash < <(echo rm -rf ~)",
                           "killall5",
                           "telinit 6",
                           "env A=1 B=2 C=3 sudo -u x nice -n 3 timeout 5 sh -c 'exec rm -rf ~'"}) {
    INFO(line);
    CHECK(kind_of(decide_command(ask, line, project.workspace)) == "ask");
    CHECK(kind_of(decide_command(automatic, line, project.workspace)) == "ask");
  }
  const Decision decision = decide_command(automatic, "rm -rf build/../..", project.workspace);
  REQUIRE(kind_of(decision) == "ask");
  CHECK(std::get<Ask>(decision).targets.at(0) ==
        "build/../.. = " + project.temp.path().string() + " (outside the workspace)");
  for (const char* line : {"rm -rf build",
                           "rm -rf ./build/x",
                           "rm -rf build/*",
                           "git push",
                           "git reset HEAD a",
                           "git checkout -b x",
                           "git clean -n",
                           "rm a.txt",
                           "git rebase --continue",
                           "git checkout main",
                           "git checkout -b src origin/main",
                           "git clean -fdxn",
                           "git clean --dry-run -d",
                           "git reset README.md",
                           "git fetch origin",
                           "rm -rf build*",
                           "rm -rf *.o",
                           "chmod +x bin/x",
                           "chmod -R u+w build",
                           "echo x > /dev/null",
                           "ls 2> /dev/null | tee /dev/stderr",
                           "cp a b",
                           "mv src/a.cpp src/c.cpp",
                           "echo rm | grep r",

                           "bash <<< 'ls src'",
                           "cd src && rm -rf util",
                           "bash -c 'cd src && rm -rf util'",
                           "env -C src rm -rf util",
                           "for f in *; do cat $f; done",
                           "time make -j4",
                           "find . -name '*.o' -exec ls {} +",
                           "xargs -n1 ls",
                           "git restore --staged a"}) {
    INFO(line);
    const std::string reason = reason_of(decide_command(automatic, line, project.workspace));
    for (const char* sign :
         {"destructive", "deletes", "changes", "device", "not known until", "whole workspace"})
      CHECK(reason.find(sign) == std::string::npos);
  }
}

TEST_CASE("protected paths are never written silently") {
  const Project project;
  std::vector<PermissionRule> rules;
  for (const char* spec : person_rules) rules.push_back(rule("Bash(" + std::string(spec) + ")"));
  for (const char* spec : granted_rules) rules.push_back(rule("Bash(" + std::string(spec) + ")"));
  for (const char* spec :
       {"cp:*", "ln:*", "touch:*", "mkdir:*", "install:*", "rsync:*", "git config:*", "Edit"})
    rules.push_back(rule(std::string(spec) == "Edit" ? "Edit" : "Bash(" + std::string(spec) + ")"));
  PermissionPolicy automatic = policy_of(PermissionMode::automatic, rules);
  automatic.sandbox_ready = true;
  const PermissionPolicy policies[] = {policy_of(PermissionMode::ask, rules),
                                       policy_of(PermissionMode::accept_edits, rules), automatic};
  const std::string protected_paths[] = {".git/config",
                                         ".git/hooks/pre-commit",
                                         ".git/info/attributes",
                                         ".GIT/config",
                                         "./.git/../.git/config",
                                         "src/../.git/HEAD",
                                         ".compression/config.json",
                                         ".compression/tern.db",
                                         project.root.string() + "/.git/config",
                                         "~/.bashrc",
                                         "~/.config/tern/config.json",
                                         "~/.ssh/authorized_keys",
                                         ".claude/settings.json",
                                         ".npmrc",
                                         "pkg/.yarnrc.yml",
                                         ".pre-commit-config.yaml"};
  const char* routes[] = {"echo x > ",           "echo x >> ",       "cp README.md ",
                          "mv README.md ",       "touch ",           "tee ",
                          "ln -sf /etc/passwd ", "sed -i s/a/b/ ",   "dd if=README.md of=",
                          "cat README.md >| ",   "rsync README.md ", "install README.md ",
                          "cp --target-dir=",    "cp -at",           "sort -uo ",
                          "gcc a.c -o",          "go build -o ",     "git diff <>",
                          "pytest --junitxml=",  "clang-format -i ", "git apply --directory=",
                          "tar xf a.tar -C",     "curl -so ",        "cat <<E\nx\nE\nls &> "};
  for (const PermissionPolicy& policy : policies)
    for (const std::string& path : protected_paths) {
      for (const char* route : routes) {
        INFO(route + path);
        const std::string kind = kind_of(decide_command(policy, route + path, project.workspace));
        // In the sandbox protected paths are read-only, whatever the command is; sandbox_test has those.
        CHECK((kind == "ask" || kind == "deny" || kind == "sandboxed"));
      }
      const Tool edit = tool_of("Edit", Effect::write);
      const json args{{"file_path", path}};
      INFO(path);
      CHECK(kind_of(decide(policy, {edit, args, project.workspace})) == "ask");
    }
}

TEST_CASE(
    "a line too long to be judged is denied in every mode, a long one that can be is judged to its end") {
  const Project project;
  const auto chain = [](std::size_t parts, const std::string& last) {
    std::string line;
    for (std::size_t i = 1; i < parts; ++i) line += i % 3 ? "true; " : "true && ";
    return line + last;
  };
  const auto list = [](std::size_t words) {
    std::string line = "ls";
    for (std::size_t i = 1; i < words; ++i) line += " src/f" + std::to_string(i);
    return line;
  };
  for (auto mode : {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::plan,
                    PermissionMode::automatic, PermissionMode::bypass}) {
    auto policy = policy_of(mode, {rule("Bash(true:*)")});
    policy.bypass_by_flag = policy.sandbox_ready = true;
    INFO(to_string(mode));
    for (const std::string& line :
         {chain(1001, "true"), chain(10'000, "rm -rf /"), chain(1001, "$(true)"), list(5001), list(60'000)}) {
      const Decision decision = decide_command(policy, line, project.workspace);
      CHECK(kind_of(decision) == "deny");
      CHECK(reason_of(decision).find("write a script file and run that") != std::string::npos);
    }
  }
  const auto ask = policy_of(PermissionMode::ask, {rule("Bash(true:*)")});
  CHECK(kind_of(decide_command(ask, chain(1000, "true"), project.workspace)) == "allow");
  CHECK(kind_of(decide_command(ask, chain(1000, "rm -rf /"), project.workspace)) == "ask");
  CHECK(kind_of(decide_command(ask, list(5000), project.workspace)) != "deny");
  CHECK(
      kind_of(decide_command(policy_of(PermissionMode::ask, {rule("Bash(true:*)"),
                                                             rule("Bash(rm:*)", PermissionRule::Kind::deny)}),
                             chain(1000, "rm x"), project.workspace)) == "deny");
}

TEST_CASE("a recursive search asks where it would show a file of secrets") {
  const Project project;  // with a .env at its top
  const auto policy = policy_of(PermissionMode::ask);
  const auto kind = [&](const char* line) {
    return kind_of(decide_command(policy, line, project.workspace));
  };
  for (const char* line : {"grep -r KEY .", "grep -rn KEY", "grep --recursive KEY .", "egrep -ri key .",
                           "rg --hidden KEY", "rg -uu KEY .", "cd src && grep -r KEY .."}) {
    INFO(line);
    CHECK(kind(line) == "ask");
  }
  for (const char* line :
       {"grep -rn KEY src", "rg KEY", "grep KEY README.md", "grep -r --exclude=.env KEY ."}) {
    INFO(line);
    CHECK(kind(line) == "allow");
  }
}

TEST_CASE("a search is asked about for a secret at any depth, and only for one it would open") {
  const Project project;
  fs::remove(project.root / ".env");
  fs::create_directories(project.root / "pkg/deploy/keys");
  fs::create_directories(project.root / "node_modules/tls/test");
  for (const char* file :
       {"pkg/deploy/.env.production", "pkg/deploy/keys/server.pem", "node_modules/tls/test/agent.pem"})
    std::ofstream(project.root / file) << "KEY\n";
  const auto policy = policy_of(PermissionMode::ask);
  const auto kind = [&](const char* line) {
    return kind_of(decide_command(policy, line, project.workspace));
  };
  for (const char* line :
       {"grep -r KEY .", "grep -rn KEY pkg", "grep -r --exclude=server.pem KEY .", "grep -d recurse KEY .",
        "egrep -R KEY src", "fgrep -R KEY src", "rg KEY", "rg KEY pkg", "rg -g '.env*' KEY",
        "rg -g '*.pem' KEY", "rg --hidden -g '!*.pem' KEY", "grep -r --include='*.pem' KEY .",
        "grep -r --exclude=.env.production --include=.env.production KEY .", "diff pkg/deploy src",
        "grep --recursive --exclude-dir=keys KEY ."}) {
    INFO(line);
    CHECK(kind(line) == "ask");
  }
  for (const char* line :
       {"grep -rn KEY src", "grep -rn KEY node_modules", "grep -rn --include='*.cpp' KEY .", "rg -t cpp KEY",
        "rg -g '*.cpp' KEY", "rg -g '!*.pem' KEY", "grep -r --exclude-dir=deploy KEY .",
        "grep -r --exclude='*.pem' --exclude='.env*' KEY .", "diff src/a.cpp src/b.cpp", "rg --files"}) {
    INFO(line);
    CHECK(kind(line) == "allow");
  }
  std::ofstream(project.root / ".gitignore") << "keys/\n";
  CHECK(kind("rg KEY") == "allow");  // as git's rules have it, rg does not open them
  CHECK(kind("grep -r KEY .") == "ask");
  const auto with_rule = policy_of(PermissionMode::ask, {rule("Bash(grep:*)")});
  CHECK(kind_of(decide_command(with_rule, "grep -r KEY .", project.workspace)) ==
        "ask");  // no rule for a program is one for keys
}

TEST_CASE("git grep asks where git tracks a file of secrets") {
  const Project project;
  const std::string git = "git -C '" + project.root.string() + "' -c core.fsmonitor=false ";
  fs::remove_all(project.root / ".git");
  REQUIRE(std::system((git + "init -q && " + git + "add -f .env README.md src").c_str()) == 0);
  for (const auto& policy :
       {policy_of(PermissionMode::ask), policy_of(PermissionMode::ask, {rule("Bash(git grep:*)")})}) {
    for (const char* line :
         {"git grep KEY", "git grep -n KEY", "git grep KEY .", "git grep -e KEY",
          "git grep -e src -e README.md", "git grep src", "git grep KEY HEAD~5", "git grep KEY -- ':/'",
          "git grep -ne KEY -- src .", "git --no-pager grep KEY"}) {
      INFO(line);
      CHECK(kind_of(decide_command(policy, line, project.workspace)) == "ask");
    }
    for (const char* line :
         {"git grep -n KEY src", "git grep -e KEY -- README.md", "cd src && git grep KEY"}) {
      INFO(line);
      CHECK(kind_of(decide_command(policy, line, project.workspace)) == "allow");
    }
  }
}

TEST_CASE("git asks before it prints the patches of a tracked file of secrets") {
  const Project project;
  const std::string git =
      "git -C '" + project.root.string() + "' -c core.fsmonitor=false -c user.name=x -c user.email=x ";
  fs::remove_all(project.root / ".git");
  REQUIRE(std::system((git + "init -q && " + git + "add -f .env README.md src").c_str()) == 0);
  const auto with_rules = policy_of(
      PermissionMode::ask, {rule("Bash(git show:*)"), rule("Bash(git log:*)"), rule("Bash(git diff:*)")});
  for (const auto& policy : {policy_of(PermissionMode::ask), with_rules}) {
    for (const char* line : {"git show",
                             "git show HEAD",
                             "git show HEAD~2 --stat -p",
                             "git log -p",
                             "git log -p -1",
                             "git log -up --oneline",
                             "git log --patch",
                             "git log -U5",
                             "git log --cc",
                             "git diff HEAD",
                             "git diff --cached",
                             "git diff main...HEAD",
                             "git diff --word-diff HEAD~1",
                             "git stash show -p",
                             "git stash show --patch",
                             "git diff HEAD -- .",
                             "cd src && git show",
                             "git diff HEAD -- ':/'",
                             "git log -p -S src",
                             "git diff HEAD -- '*.env'",
                             "git cat-file -p 5f23da99",
                             "git diff-tree -p HEAD",
                             "git show HEAD | head -50",
                             "git --no-pager show",
                             "git diff HEAD -- ':!README.md'",
                             "git log -L1,2:src/a.cpp"}) {
      INFO(line);
      CHECK(kind_of(decide_command(policy, line, project.workspace)) == "ask");
    }
    for (const char* line : {"git show --stat HEAD", "git log --oneline -10", "git log --stat",
                             "git diff --name-only HEAD~3 HEAD", "git diff", "git show HEAD -- src",
                             "git log -p -- src", "git diff HEAD src/main.cpp", "git diff HEAD -- . ':!.env'",
                             "git stash list", "git diff HEAD -- ':(exclude).env'", "git status -v",
                             "git show HEAD:src/main.cpp --no-patch", "git cat-file -p HEAD"}) {
      INFO(line);
      CHECK(kind_of(decide_command(policy, line, project.workspace)) == "allow");
    }
  }
  std::ofstream(project.root / ".env") << "KEY=1 and more\n";
  CHECK(kind_of(decide_command(with_rules, "git diff", project.workspace)) == "ask");
  CHECK(kind_of(decide_command(with_rules, "git diff src", project.workspace)) == "allow");
}

TEST_CASE("settings without a key and keys of tests are shown by git unasked") {
  const Project project;
  const std::string git = "git -C '" + project.root.string() + "' -c core.fsmonitor=false ";
  fs::remove_all(project.root / ".git");
  std::ofstream(project.root / ".npmrc") << "engine-strict=true\n";
  std::ofstream(project.root / "tests/server.pem") << "x\n";
  REQUIRE(std::system((git + "init -q && " + git + "add -f .npmrc README.md tests").c_str()) == 0);
  const auto kind = [&] {
    return kind_of(decide_command(policy_of(PermissionMode::ask), "git show HEAD", project.workspace));
  };
  CHECK(kind() == "allow");
  std::ofstream(project.root / ".npmrc") << "//registry/:_authToken=x\n";
  CHECK(kind() == "ask");
}

TEST_CASE("what only looks goes unasked") {
  const Project project;
  for (const char* line : {"git grep -ni main src",
                           "git grep -A3 -e main",
                           "git log -n3 -p",
                           "git log -Stoken",
                           "git diff -U5 -w",
                           "git diff -M90%",
                           "git blame -L10,20 src/main.cpp",
                           "git ls-files -o -x '*.o'",
                           "git shortlog -sne",
                           "git tag -n3 -l",
                           "git branch -avv",
                           "git cat-file -p HEAD",
                           "ctest --version",
                           "cmake --version",
                           "python3 -V",
                           "java -version",
                           "ps -ef",
                           "ps aux",
                           "ps -eo pid,ppid,rss,cmd --sort=-rss",
                           "ps -e --forest",
                           "ps -p 1 -o pid,args",
                           "xxd -l 64 README.md",
                           "xxd -c16 -s 4 README.md",
                           "xxd -ps README.md",
                           "jq '.include' package.json",
                           "jq '.compilerOptions.important' package.json",
                           "tree -L 2 -I build",
                           "strings README.md",
                           "git log --since=2.weeks -- src"}) {
    INFO(line);
    CHECK(kind_of(decide_command(policy_of(PermissionMode::ask), line, project.workspace)) == "allow");
  }
}

// A long option may have taken the "--" for its value; and the same word is a question for one program, an
// order for another.
TEST_CASE("what only seems to look is asked about") {
  const Project project;
  for (const char* line : {"ctest -V", "ninja -v", "cmake -V", "node -V", "ctest -v", "python3 -v", "bash -v",
                           "gdb -v", "valgrind --version", "git --version -p"}) {
    INFO(line);
    CHECK(kind_of(decide_command(policy_of(PermissionMode::ask), line, project.workspace)) == "ask");
  }
}

TEST_CASE("modes") {
  const Project project;
  PermissionPolicy policy = policy_of(PermissionMode::plan);
  CHECK(kind_of(decide_command(policy, "git status && ls | head", project.workspace)) == "allow");
  CHECK(kind_of(decide_command(policy, "touch x", project.workspace)) == "deny");
  policy.mode = PermissionMode::accept_edits;
  CHECK(kind_of(decide_command(policy, "mkdir -p src/new && touch src/new/a.txt", project.workspace)) ==
        "allow");
  CHECK(kind_of(decide_command(policy, "echo x > src/new.txt", project.workspace)) == "allow");
  CHECK(kind_of(decide_command(policy, "npm test", project.workspace)) == "ask");
  policy.mode = PermissionMode::bypass;
  CHECK(kind_of(decide_command(policy, "touch x", project.workspace)) == "ask");
  policy.bypass_by_flag = true;
  CHECK(kind_of(decide_command(policy, "touch x", project.workspace)) == "allow");
  policy.mode = PermissionMode::automatic;
  policy.sandbox_why = "no Landlock here";
  std::string why;
  CHECK(effective_mode(policy, why) == PermissionMode::ask);
  CHECK(why.find("no Landlock here") != std::string::npos);
  CHECK(kind_of(decide_command(policy, "python3 x.py", project.workspace)) == "ask");
  policy.sandbox_ready = true;
  CHECK(effective_mode(policy, why) == PermissionMode::automatic);
  CHECK(kind_of(decide_command(policy, "for f in *; do python3 $f; done", project.workspace)) == "sandboxed");
  CHECK(kind_of(decide_command(policy, "git commit -m x", project.workspace)) == "ask");
  CHECK(kind_of(decide_command(policy, "npm install", project.workspace)) == "ask");
}

TEST_CASE("every tool that reads or writes files tells the gate which") {
  for (const auto& tool : builtin_tools()) {
    INFO(tool->name);
    if (tool->effects.has(Effect::write)) REQUIRE(tool->paths);
    const json schema = json::parse(tool->schema);
    for (const auto& [name, what] : schema["properties"].items()) {
      if (name != "path" && name.find("_path") == std::string::npos) continue;
      REQUIRE(tool->paths);
      CHECK(tool->paths({{name, "src/a"}}) == std::vector<std::string>{"src/a"});
    }
  }
}

TEST_CASE("deny wins, ask follows, and each says why") {
  const Project project;
  const PermissionPolicy policy =
      policy_of(PermissionMode::ask,
                {rule("Bash(git push:*)", PermissionRule::Kind::deny),
                 rule("Bash(git status)", PermissionRule::Kind::ask), rule("Bash(git push origin:*)"),
                 rule("Bash(git status:*)"), rule("Bash(curl:*)", PermissionRule::Kind::deny)});
  for (const char* line :
       {"git push origin main", "ls; git push", "sudo git push", "/usr/bin/git push", "bash -c 'git push'",
        "(git push)", "echo $(git push)", "curl x", "echo `curl x`", "x=$(eval \"curl x\")"}) {
    INFO(line);
    CHECK(kind_of(decide_command(policy, line, project.workspace)) == "deny");
  }
  CHECK(kind_of(decide_command(policy, "git status", project.workspace)) == "ask");
  CHECK(reason_of(decide_command(policy, "git push", project.workspace)) ==
        "blocked by the rule deny Bash(git push:*) from test");
  std::string many;
  for (int i = 0; i < 1200; ++i) many += "true; ";
  CHECK(kind_of(decide_command(policy, many + "ls", project.workspace)) == "deny");
}

TEST_CASE("a rule on files holds for what a command does to them") {
  const Project project;
  fs::create_directories(project.root / "src/private");
  std::ofstream(project.root / "src/private/x") << "secret\n";
  const auto rules = [](PermissionRule::Kind kind) {
    return std::vector{rule("Read(src/private/**)", kind), rule("Edit(src/**)", kind),
                       rule("Write(*.lock)", kind)};
  };
  PermissionPolicy bypass = policy_of(PermissionMode::bypass, rules(PermissionRule::Kind::deny));
  bypass.bypass_by_flag = true;
  const auto deny = policy_of(PermissionMode::accept_edits, rules(PermissionRule::Kind::deny));
  auto asking = rules(PermissionRule::Kind::ask);
  for (const char* spec : {"cp:*", "touch:*", "gcc:*", "tar:*"})
    asking.push_back(rule("Bash(" + std::string(spec) + ")"));
  const auto ask = policy_of(PermissionMode::accept_edits, asking);
  for (const char* line : {"cat src/private/x",
                           "cat ./src/../src/private/x",
                           "cd src/private && cat x",
                           "grep -rn secret src",
                           "rg secret",
                           "rg secret src",
                           "head -1 < src/private/x",
                           "sudo cat src/private/x",
                           "sh -c 'cat src/private/x'",
                           "sh -c 'cat < src/private/x'",
                           "cp src/private/x y",
                           "cp -r src y",
                           "tar cf x.tar src",
                           "python3 x.py src/private/x",
                           "diff src/private/x README.md",
                           "echo hacked > src/main.cpp",
                           "echo hacked >> src/main.cpp",
                           "sh -c 'echo x > src/main.cpp'",
                           "touch src/t",
                           "mkdir src/new",
                           "tee src/t",
                           "cp README.md src",
                           "cp README.md src/t",
                           "mv src/a.cpp y",
                           "mv src y",
                           "rm src/a.cpp",
                           "rm -rf src",
                           "sed -i s/a/b/ src/a.cpp",
                           "dd if=README.md of=src/x",
                           "gcc -o src/app a.c",
                           "touch package.lock",
                           "touch tests/a.lock",
                           "cd src && touch t",
                           "chmod -R 700 src",
                           "git checkout src/a.cpp",
                           "cd src && echo x > a.cpp",
                           "(echo x > src/a.cpp)",
                           "x=1; cat src/private/x"}) {
    INFO(line);
    CHECK(kind_of(decide_command(deny, line, project.workspace)) == "deny");
    CHECK(kind_of(decide_command(bypass, line, project.workspace)) == "deny");
    CHECK(kind_of(decide_command(ask, line, project.workspace)) == "ask");
  }
  for (const char* line :
       {"cat src/pri*/x", "cat src/private/$X", "for f in src/private/*; do cat $f; done"}) {
    INFO(line);
    CHECK(kind_of(decide_command(bypass, line, project.workspace)) != "allow");
  }
  for (const char* line : {"cat src/main.cpp", "grep -n main src/main.cpp", "grep -rn secret tests",
                           "grep -rn --exclude-dir=private secret src", "ls src", "echo src/private/x",
                           "touch tests/t", "echo x > tests/t"}) {
    INFO(line);
    CHECK(kind_of(decide_command(deny, line, project.workspace)) == "allow");
    CHECK(kind_of(decide_command(ask, line, project.workspace)) == "allow");
  }
  CHECK(reason_of(decide_command(deny, "cat src/private/x", project.workspace)) ==
        "blocked by the rule deny Read(src/private/**) from test: reads src/private/x");
  CHECK(kind_of(decide_command(bypass, "gcc -c src/main.cpp -o build/main.o", project.workspace)) == "allow");
}

TEST_CASE("a rule found only in the text of a line asks, and only for whole words") {
  const Project project;
  PermissionPolicy bypass =
      policy_of(PermissionMode::bypass, {rule("Bash(rm:*)", PermissionRule::Kind::deny)});
  bypass.bypass_by_flag = true;
  CHECK(kind_of(decide_command(bypass, "echo \"$HOME format\"", project.workspace)) == "allow");
  CHECK(kind_of(decide_command(bypass, "ls *.form; echo rm-old", project.workspace)) == "allow");
  CHECK(kind_of(decide_command(bypass, "echo \"$HOME rm\"", project.workspace)) == "ask");
  CHECK(kind_of(decide_command(bypass, "rm \"$HOME/x\"", project.workspace)) == "deny");
}

TEST_CASE("what is offered to be remembered") {
  const Project project;
  const PermissionPolicy policy = policy_of(PermissionMode::ask);
  const auto offered = [&](const char* line) {
    const Decision decision = decide_command(policy, line, project.workspace);
    if (!std::holds_alternative<Ask>(decision)) return kind_of(decision);
    std::string rules;
    for (const auto& grant : std::get<Ask>(decision).grants)
      rules += (rules.empty() ? "" : " and ") + rule_text(grant);
    CHECK(std::get<Ask>(decision).remember.empty() == rules.empty());
    INFO(line);
    PermissionPolicy again = policy;
    again.rules = std::get<Ask>(decision).grants;  // what was agreed to is not asked again
    if (!rules.empty()) CHECK(kind_of(decide_command(again, line, project.workspace)) == "allow");
    return rules;
  };
  CHECK(offered("npm run build && ls") == "Bash(npm run build:*)");
  CHECK(offered("npm run build && cargo test x") == "Bash(npm run build:*) and Bash(cargo test:*)");
  CHECK(offered("npm run build && rm -rf ./dist") == "");
  CHECK(offered("git commit -m x") == "Bash(git commit:*)");
  CHECK(offered("swift build") == "Bash(swift build:*)");
  CHECK(offered("gradle check -q") == "Bash(gradle check:*)");
  CHECK(offered("swift evil.swift") == "");
  CHECK(offered("gh pr view 12 --json title && sleep 3 && gh run list") ==
        "Bash(gh pr view:*) and Bash(gh run list:*)");
  CHECK(offered("npm run build 2>&1 | tail -5") == "Bash(npm run build:*)");
  CHECK(offered("npm run build > /dev/null 2>&1 && gh pr checks 3 2>/dev/null") ==
        "Bash(npm run build:*) and Bash(gh pr checks:*)");
  CHECK(offered("make all > build/log.txt") == "Bash(make all:*) and Edit(build/log.txt)");
  CHECK(offered("make all &> log.txt") == "Bash(make all:*) and Edit(" + project.root.string() + "/log.txt)");
  for (const char* line :
       {"gh api repos/a/b/pulls/1/comments --paginate | jq length", "gh api -X GET search/issues -f q=x",
        "gh api --method=GET x -F n=1", "gh api x -q .a -H 'Accept: application/json'"}) {
    INFO(line);
    CHECK(offered(line) == "Bash(gh api:*)");
  }
  CHECK(offered("tmux capture-pane -pt a:0 -S -300 | tail") == "Bash(tmux capture-pane:*)");
  for (const char* line :
       {"tmux capture-pane -p ';' run-shell x", "tmux list-windows '#(x)'", "tmux ls -F '#{session_name}'",
        "tmux -S x capture-pane -p", "tmux send-keys -t a:0 x", "tmux kill-server"}) {
    INFO(line);
    CHECK(offered(line).empty());
  }
  for (const char* line :
       {"make all > ../outside/x", "make all > .env", "make all > .git/config", "make all < ~/.ssh/id_rsa",
        "make all > $X", "cd src && make all > log.txt", "make all > link-out/x", "gh api x -X POST",
        "gh api -XDELETE x", "gh api x -f body=y", "gh api x --input f", "gh api -X GET x -F a=@README.md",
        "gh api -q --method=GET x -f a=b", "gh api --method=GET --method=PUT x", "gh api x -H 'X-A: DELETE'",
        "gh api x --hostname evil.example", "gh pr create --fill", "gh auth token"}) {
    INFO(line);
    CHECK(offered(line).empty());
  }
  for (const char* line : {"python3 x.py", "bash x.sh", "rm a", "git push", "git reset a", "curl x",
                           "xargs ls", "npm run", "find . -exec ls {} +", "make $(id)", "env ls",
                           "cargo publish", "A=1 pytest", "gh pr merge 3", "gh pr view 3 --web"}) {
    INFO(line);
    CHECK(offered(line).empty());
  }
}

TEST_CASE("what would be granted is said in words, each part once") {
  const auto told = [](std::vector<std::string> rules) {
    std::vector<PermissionRule> grants;
    for (const std::string& text : rules) {
      std::string error;
      REQUIRE(
          parse_rule(builtin_tools(), text, PermissionRule::Kind::allow, "", grants.emplace_back(), error));
    }
    return grant_text(grants);
  };
  CHECK(told({}).empty());
  CHECK(told({"Bash(npm test:*)"}) == "any command that begins with `npm test`");
  CHECK(told({"Bash(npm test:*)", "Bash(make:*)", "Bash(npm test:*)"})
            .starts_with("any command that begins with `npm test` or with `make`"));
  CHECK(told({"Bash(git status)"}) == "the command `git status`");
  CHECK(told({"Edit(src/deep/**)"}) == "edits in src/deep/");
  CHECK(told({"Edit(**)"}) == "edits anywhere here");
  CHECK(told({"Read(/etc/app/**)"}) == "reading /etc/app/");
}

TEST_CASE("rules that would grant too much are refused") {
  PermissionRule made;
  for (const char* text :
       {"Bash", "Bash(*)", "Bash(python3:*)", "Bash(bash -c:*)", "Bash(sudo:*)", "Bash(env:*)", "Bash(rm:*)",
        "Bash(git:*)", "Bash(npm:*)", "Bash(dotnet:*)", "Bash(swift:*)", "Bash(bazel:*)", "Bash(git * main)",
        "Bash(node:*)", "Bash(xargs:*)", "Bash(a", "(x)"}) {
    std::string error;
    INFO(text);
    CHECK_FALSE(parse_rule(builtin_tools(), text, PermissionRule::Kind::allow, "", made, error));
    CHECK_FALSE(error.empty());
  }
  std::string error;
  REQUIRE(parse_rule(builtin_tools(), "Bash(npm run test:*)", PermissionRule::Kind::allow, "x", made, error));
  CHECK(rule_text(made) == "Bash(npm run test:*)");
  CHECK(to_string(made) == "allow Bash(npm run test:*) from x");
  CHECK(parse_rule(builtin_tools(), "Bash(python3:*)", PermissionRule::Kind::deny, "", made, error));
  CHECK(parse_rule(builtin_tools(), "mcp__not_there__tool", PermissionRule::Kind::deny, "", made, error));
  CHECK(parse_rule(builtin_tools(), "mcp__not_there__*", PermissionRule::Kind::deny, "", made, error));
  CHECK(
      parse_rule(builtin_tools(), "Bash(python3 -m pytest:*)", PermissionRule::Kind::allow, "", made, error));
}

TEST_CASE("a rule for a module of python holds for that module") {
  const Project project;
  const auto policy = policy_of(PermissionMode::ask, {rule("Bash(python3 -m pytest:*)")});
  for (const char* line : {"python3 -m pytest", "python3 -m pytest tests -q -k parser"})
    CHECK(kind_of(decide_command(policy, line, project.workspace)) == "allow");
  for (const char* line :
       {"python3 -m pytest -p evil", "python3 -m pytest --pastebin=all", "python3 -m pytest @args",
        "python3 -m pytest ../outside", "python3 -m pip install x", "python3 -m", "python3 x.py",
        "python3 -c pass -m pytest", "python -m pytest"}) {
    INFO(line);
    CHECK(kind_of(decide_command(policy, line, project.workspace)) == "ask");
  }
  const auto gcc =
      policy_of(PermissionMode::ask, {rule("Bash(gcc:*)"), rule("Bash(cmake:*)"), rule("Bash(pytest:*)")});
  for (const char* line :
       {"gcc -Wall -Wl,-rpath,build -Wl,--as-needed -o app src/a.c", "gcc -MD -MF build/a.d -c src/a.c",
        "gcc -fuse-ld=lld a.c", "cmake --build build -- -j4", "pytest -W ignore::DeprecationWarning"}) {
    INFO(line);
    CHECK(kind_of(decide_command(gcc, line, project.workspace)) == "allow");
  }
}

TEST_CASE("path rules know classes and braces, and folders by names in brackets") {
  const Project project;
  const Tool edit = tool_of("Edit", Effect::write);
  const auto answer = [&](const PermissionPolicy& policy, const std::string& path) {
    const json args{{"file_path", path}};
    return kind_of(decide(policy, {edit, args, project.workspace}));
  };
  const auto deny =
      policy_of(PermissionMode::accept_edits, {rule("Edit(secrets/*.{txt,csv})", PermissionRule::Kind::deny),
                                               rule("Edit(src/[ab].cpp)", PermissionRule::Kind::deny)});
  for (const char* path : {"secrets/x.txt", "secrets/x.csv", "src/a.cpp", "src/b.cpp"})
    CHECK(answer(deny, path) == "deny");
  for (const char* path : {"secrets/x.md", "secrets/deep/x.txt", "src/c.cpp"})
    CHECK(answer(deny, path) == "allow");
  const auto allow = policy_of(PermissionMode::ask, {rule("Edit(app/[id]/**)")});
  CHECK(answer(allow, "app/[id]/page.tsx") == "allow");
  CHECK(answer(allow, "app/x/page.tsx") == "ask");
}

TEST_CASE("a tool that reads, but no files, asks") {
  const Project project;
  Tool fetch = tool_of("Fetch", Effect::read);
  fetch.paths = nullptr;
  const json args{{"url", "https://example.com"}};
  CHECK(kind_of(decide(policy_of(PermissionMode::ask), {fetch, args, project.workspace})) == "ask");
  CHECK(kind_of(decide(policy_of(PermissionMode::plan), {fetch, args, project.workspace})) == "deny");
  const Tool search = tool_of("Search", Effect::read);
  CHECK(kind_of(decide(policy_of(PermissionMode::ask), {search, json::object(), project.workspace})) ==
        "allow");
}

TEST_CASE("files") {
  const Project project;
  const Tool read = tool_of("Read", Effect::read), edit = tool_of("Edit", Effect::write),
             write = tool_of("Write", Effect::write);
  const auto answer = [&](const PermissionPolicy& policy, const Tool& tool, const std::string& path) {
    const json args{{"file_path", path}};
    return kind_of(decide(policy, {tool, args, project.workspace}));
  };
  const PermissionPolicy plain = policy_of(PermissionMode::ask);
  CHECK(answer(plain, read, "src/main.cpp") == "allow");
  CHECK(answer(plain, read, "../outside/x") == "ask");
  CHECK(answer(plain, read, "link-out/x") == "ask");
  CHECK(answer(plain, read, ".env") == "ask");
  CHECK(answer(plain, read, "~/.ssh/id_rsa") == "ask");
  CHECK(answer(plain, edit, "src/main.cpp") == "ask");
  CHECK(answer(policy_of(PermissionMode::accept_edits), edit, "src/main.cpp") == "allow");
  CHECK(answer(policy_of(PermissionMode::accept_edits), edit, "../outside/x") == "ask");
  CHECK(answer(policy_of(PermissionMode::accept_edits), edit, "link-out/x") == "ask");
  CHECK(answer(policy_of(PermissionMode::accept_edits), edit, ".git/config") == "ask");
  CHECK(answer(policy_of(PermissionMode::plan), edit, "src/main.cpp") == "deny");
  const PermissionPolicy ruled = policy_of(
      PermissionMode::ask, {rule("Edit(src/**)"), rule("Edit(src/util)", PermissionRule::Kind::deny),
                            rule("Read(*.cpp)", PermissionRule::Kind::deny)});
  CHECK(answer(ruled, edit, "src/new.txt") == "allow");
  const json inside{{"file_path", "src/new.txt"}};
  CHECK(std::get<Allow>(decide(ruled, {edit, inside, project.workspace})).granted);
  CHECK_FALSE(
      std::get<Allow>(decide(policy_of(PermissionMode::accept_edits), {edit, inside, project.workspace}))
          .granted);
  CHECK(answer(ruled, write, "src/new.txt") == "allow");
  CHECK(answer(ruled, edit, "src/util/x") == "deny");
  CHECK(answer(ruled, edit, "srcs/x") == "ask");
  const Tool patch = tool_of("Patch", Effect::write),
             outline = tool_of("Outline", Effect::read);  // tools nobody has heard of
  CHECK(answer(ruled, patch, "src/util/x") == "deny");
  CHECK(answer(ruled, patch, "src/new.txt") == "allow");
  CHECK(answer(ruled, outline, "src/main.cpp") == "deny");
  CHECK(answer(ruled, read, "src/main.cpp") == "deny");
  const json args{{"file_path", "src/deep/x"}};
  CHECK(std::get<Ask>(decide(plain, {edit, args, project.workspace})).remember == "edits in src/deep/");
  const Tool todo = tool_of("TodoWrite", Effect::context);
  CHECK(kind_of(decide(plain, {todo, args, project.workspace})) == "allow");
}
