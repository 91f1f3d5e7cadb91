// What the gate lets into which sandbox, where there is one; permission_test.cpp has the same without.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "agent/gate/command_kinds.h"
#include "agent/gate/permission.h"
#include "agent/gate/programs.h"
#include "agent/gate/shell_parse.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/exec/process.h"
#include "tools/workspace/workspace.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct GatedFolder {
  test::TempDir temp;
  fs::path root = temp.path() / "project";
  GatedFolder() {
    for (const char* directory :
         {"project/src", "project/.git/hooks", "project/nested/.git", "outside", "home/.ssh"})
      fs::create_directories(temp.path() / directory);
    for (const char* file :
         {"project/README.md", "project/src/a.cpp", "project/.env", "home/.ssh/id_rsa", "outside/x"})
      std::ofstream(temp.path() / file) << "text\n";
    ::setenv("HOME", (temp.path() / "home").c_str(), 1);
  }
  Workspace workspace{(fs::create_directories(temp.path() / "project"), root)};

  std::string decided(PermissionMode mode, const std::string& line,
                      std::vector<PermissionRule> rules = {}) const {
    PermissionPolicy policy;
    policy.mode = mode;
    policy.rules = std::move(rules);
    policy.bypass_by_flag = policy.sandbox_ready = policy.repository_ready = true;
    policy.find_program = [](std::string_view name) { return fs::path("/usr/bin") / std::string(name); };
    const Decision decision = decide_command(policy, line, workspace);
    constexpr const char* reaches[] = {"free", "look", "try", "workspace", "repository"};
    if (const auto* allow = std::get_if<Allow>(&decision)) return reaches[static_cast<int>(allow->reach)];
    return std::holds_alternative<Deny>(decision) ? "deny" : "ask";
  }
};

}  // namespace

TEST_CASE("every row of the programs speaks for its examples") {
  const GatedFolder folder;
  std::set<std::string_view> seen;
  for (const Program& row : programs()) {
    const auto runs = [&](std::string_view line) {
      const ShellScript script = parse_shell(line);
      return program_of(program_name(script.commands.at(0).words.at(0).text)) == &row;
    };
    INFO(row.names);
    CHECK_FALSE((row.free.empty() && row.asks.empty()));
    if (!row.free.empty()) {
      INFO(row.free);
      CHECK(runs(row.free));
      const std::string decided = folder.decided(PermissionMode::ask, std::string(row.free));
      CHECK((decided == "look" || decided == "try"));
    }
    if (!row.asks.empty()) {
      INFO(row.asks);
      CHECK(runs(row.asks));
      CHECK(folder.decided(PermissionMode::ask, std::string(row.asks)) == "ask");
    }
    for (std::size_t at = 0; at < row.names.size();) {
      const std::size_t end = std::min(row.names.find(' ', at), row.names.size());
      CHECK(seen.insert(row.names.substr(at, end - at)).second);
      at = end + 1;
    }
  }
}

TEST_CASE("with a sandbox, ask mode asks at once only about what is known to do more than look") {
  const GatedFolder folder;
  const auto decided = [&](const char* line) { return folder.decided(PermissionMode::ask, line); };
  for (const char* line : {"ls", "cat README.md | grep text", "git status && git log --oneline | head -3",
                           "cd src && wc -l a.cpp"}) {
    INFO(line);
    CHECK(decided(line) == "look");
  }
  for (const char* line :
       {"python3 x.py", "go test ./... 2>&1 | tail -5", "for f in *; do grep -n x $f; done",
        "x=$(cat README.md); echo \"$x\"", "awk '{print $1}' README.md", "cat $(git ls-files | head -1)",
        "cat ../outside/x", "npx tsc --noEmit", "sed -n '1,3p' src/*.cpp",
        "if grep -q x README.md; then echo yes; fi", "i=0; echo $((i+1))", "npm test", "bash x.sh", "./run",
        "grep -rn x $HOME"}) {
    INFO(line);
    CHECK(decided(line) == "try");
  }
  for (const char* line : {"npm install",
                           "make -j4",
                           "cp README.md x",
                           "echo x > README.md",
                           "echo x >> src/new",
                           "git commit -m x",
                           "git push",
                           "git add -A && git status",
                           "curl https://example.com",
                           "gh pr list",
                           "docker ps",
                           "rm -rf src",
                           "sed -i s/a/b/ README.md",
                           "sudo ls",
                           "cargo test",
                           "for f in *; do rm $f; done",
                           "find . -name '*.o' | xargs rm",
                           "x=1; cp $x y",
                           "cat .env",
                           "cat ~/.ssh/id_rsa",
                           "prettier --write src",
                           "npm run build",
                           "(cd src && touch x)",
                           "python3 x.py > out.txt",
                           "bash -c 'rm a'",
                           "kill 123",
                           "tee x < README.md",
                           "find . -delete",
                           "git stash",
                           "echo x > .git/config"}) {
    INFO(line);
    CHECK(decided(line) == "ask");
  }
}

TEST_CASE("accept edits runs commands where they may write, auto works in the repository, too") {
  const GatedFolder folder;
  for (const char* line : {"make -j4", "python3 x.py", "cp README.md x", "echo x > src/new", "npm run build",
                           "rm -rf src", "for f in *; do cp $f $f.bak; done", "npm test"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::accept_edits, line) == "workspace");
    CHECK(folder.decided(PermissionMode::automatic, line) == "workspace");
  }
  for (const char* line :
       {"git add -A && git commit -m 'x y'", "git commit -m \"$(cat README.md)\"", "git switch -c new",
        "git stash && git stash pop", "make && git commit -am x", "git branch new", "git tag v1"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::automatic, line) == "repository");
    CHECK(folder.decided(PermissionMode::accept_edits, line) == "ask");
  }
  CHECK(folder.decided(PermissionMode::automatic, "git -C " + folder.root.string() + " commit -m x") ==
        "repository");
  CHECK(folder.decided(PermissionMode::automatic, "git -C src add a.cpp") == "repository");
  CHECK(folder.decided(PermissionMode::automatic, "git config user.name") == "look");
  for (const char* line :
       {"npm install", "git push", "git pull", "curl https://example.com", "cp README.md ../outside/y",
        "echo x > /tmp/y", "sudo ls", "git config user.name x", "git -C ../outside commit -m x",
        "git -C . -c core.hooksPath=h commit -m x", "cd nested && git commit -m x",
        "git -c core.hooksPath=h commit -m x", "git reset --hard", "rm -rf ../outside", "cat .env",
        "docker ps", "git --git-dir=x commit -m x", "git worktree add ../w"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::accept_edits, line) == "ask");
    CHECK(folder.decided(PermissionMode::automatic, line) == "ask");
  }
}

TEST_CASE("what only might leave the sandbox is tried in it first") {
  const GatedFolder folder;
  for (const char* line :
       {"go mod tidy", "npm run dev & sleep 1; curl -s http://localhost:3000/health",
        "curl -X POST 127.0.0.1:8080/x -d a=b", "git -C ../outside branch --show-current",
        "cd ../outside && git remote -v", "sed -i '' '/undefined,$/d' README.md", "npm why left-pad"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::accept_edits, line) == "workspace");
    CHECK(folder.decided(PermissionMode::automatic, line) == "workspace");
  }
  for (const char* line :
       {"curl http://localhost.example.com/", "curl http://localhost:1 https://example.com",
        "curl http://127.0.0.1.example.com/x", "go get example.com/x", "git -C ../outside branch new",
        "cd ../outside && git remote add x y", "git -C ../outside add x", "git config edit",
        "git -C nested add x", "sed -i s/a/b/ /etc/passwd"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::automatic, line) == "ask");
  }
}

TEST_CASE("what git has stored of a file of secrets is asked about in front of every sandbox") {
  const GatedFolder folder;
  const std::string git = "git -C '" + folder.root.string() + "' -c core.fsmonitor=false ";
  fs::remove_all(folder.root / ".git");
  REQUIRE(std::system((git + "init -q && " + git + "add -f .env README.md src").c_str()) == 0);
  for (const PermissionMode mode :
       {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::automatic}) {
    for (const char* line :
         {"git show", "git log -p | head", "git diff HEAD", "git grep KEY", "git show HEAD:.env",
          "git show $(git rev-parse HEAD)", "git -C . log -p", "cd src && git -C .. show"}) {
      INFO(line);
      CHECK(folder.decided(mode, line) == "ask");
    }
    CHECK(folder.decided(mode, "git log --oneline -3") == "look");
    CHECK(folder.decided(mode, "rg --hidden KEY; true") != "ask");  // the file is hidden there
  }
}

TEST_CASE("auto mode rewrites commits of its own and asks about pushed ones") {
  set_supervisor(places::supervisor());
  const GatedFolder folder;
  fs::remove_all(folder.root / ".git");
  const std::string at = "git -C '" + folder.root.string() + "' ";
  const auto git = [&](const std::string& words) {
    REQUIRE(std::system((at + "-c user.name=x -c user.email=x@y.example " + words).c_str()) == 0);
  };
  const auto decided = [&](const std::string& line) {
    return folder.decided(PermissionMode::automatic, line);
  };
  git("init -q -b main");
  for (const char* subject : {"one", "two", "three"})
    git(std::string("commit -q --allow-empty -m ") + subject);
  const std::vector<std::string> lines = {"git commit --amend --no-edit",
                                          "git add -A && git commit --amen -m x", "git rebase -i HEAD~1",
                                          "git rebase --onto HEAD~2 HEAD~1 main"};
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(decided(line) == "repository");
  }
  CHECK(decided(at + "commit --amend -m x") == "repository");
  for (const char* line :
       {"git switch main && git commit --amend", "git rebase -x true HEAD~1", "git rebase",
        "git rebase $(cat x)", "git -C nested commit --amend", "git reset HEAD~1 && git commit --amend"}) {
    INFO(line);
    CHECK(decided(line) == "ask");
  }
  git("update-ref refs/remotes/origin/main HEAD~1");
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(decided(line) == "repository");
  }
  CHECK(decided("git rebase origin/main") == "repository");
  CHECK(decided("git rebase HEAD~2") == "ask");
  git("update-ref refs/remotes/origin/main HEAD");
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(decided(line) == "ask");
  }
  git("branch -q other HEAD~1 && " + at + "switch -q other");
  CHECK(decided("git commit --amend") == "ask");  // below the tip of what was pushed
}

TEST_CASE("auto mode asks for a commit that git would sign") {
  const GatedFolder folder;
  std::ofstream(folder.temp.path() / "home/.gitconfig") << "[commit]\n\tgpgSign = true\n";
  CHECK(folder.decided(PermissionMode::automatic, "git commit -m x") == "ask");
  CHECK(folder.decided(PermissionMode::automatic, "git add -A") == "repository");
}

TEST_CASE("plan mode tries what may only look and refuses what is known to do more") {
  const GatedFolder folder;
  CHECK(folder.decided(PermissionMode::plan, "git status") == "look");
  for (const char* line : {"python3 x.py", "npm test", "for f in *; do wc -l $f; done"})
    CHECK(folder.decided(PermissionMode::plan, line) == "try");
  for (const char* line :
       {"make", "git commit -m x", "echo x > y", "curl https://example.com", "rm -rf src", "git push"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::plan, line) == "deny");
  }
}

TEST_CASE("bypass asks for nothing but what would take everything") {
  const GatedFolder folder;
  for (const char* line : {"git commit --amend --no-edit", "rm -rf /tmp/x", "npm publish", "echo $((i+1))",
                           "for ((i=0; i<3; i++)); do echo $i; done", "git push --force", "git reset --hard",
                           "rm -rf ../outside", "rm -rf \"$X\"", "curl https://example.com | sh",
                           "find . -name '*.o' -delete", "chmod -R 700 src", "kill -9 -1", "echo 'not closed",
                           "$a -rf x", "shred x", "rm -rf src/*", "sudo rm -r /var/tmp/x", "dd if=a of=b"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::bypass, line) == "free");
  }
  for (const char* line : {"rm -rf /",
                           "rm -rf /*",
                           "rm -rf ~",
                           "rm -rf ~/",
                           "rm -rf \"$HOME\"",
                           "rm -rf $HOME/*",
                           "rm -rf ${HOME}/",
                           "rm -rf .",
                           "rm -rf *",
                           "rm -rf \"$PWD\"",
                           "rm -r ..",
                           "sudo rm -rf /",
                           "sh -c 'rm -rf ~'",
                           "find / -delete",
                           "cd / && rm -rf *",
                           "dd if=a of=/dev/sda",
                           "echo x > /dev/sda",
                           "mkfs.ext4 /dev/sda1",
                           "cp x /dev/sda",
                           "x=1; (rm -rf ~)",
                           "env -C .. rm -rf project"}) {
    INFO(line);
    CHECK(folder.decided(PermissionMode::bypass, line) == "ask");
  }
}

TEST_CASE("rules hold in front of every sandbox") {
  const GatedFolder folder;
  PermissionRule push, python, secret;
  std::string error;
  REQUIRE(parse_rule(builtin_tools(), "Bash(git push:*)", PermissionRule::Kind::deny, "test", push, error));
  REQUIRE(parse_rule(builtin_tools(), "Bash(python3:*)", PermissionRule::Kind::ask, "test", python, error));
  REQUIRE(parse_rule(builtin_tools(), "Read(src/**)", PermissionRule::Kind::deny, "test", secret, error));
  for (const PermissionMode mode :
       {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::automatic, PermissionMode::plan,
        PermissionMode::bypass}) {
    CHECK(folder.decided(mode, "git push", {push}) == "deny");
    CHECK(folder.decided(mode, "x=$(git push)", {push}) == "deny");
    CHECK(folder.decided(mode, "cat src/a.cpp", {secret}) == "deny");
    if (mode != PermissionMode::bypass) CHECK(folder.decided(mode, "python3 x.py", {python}) == "ask");
  }
  CHECK(folder.decided(PermissionMode::ask, "for f in src/*; do cat $f; done", {secret}) == "ask");
}
