// A command that is not known to write is tried where nothing can change; at a wall the person decides.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/turn/tool_calls.h"
#include "tests/agent/turn/turn_rig.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/exec/process.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
using test::call;
namespace fs = std::filesystem;

namespace {

struct Tried {
  test::Rig rig;
  test::TempDir own;

  explicit Tried(PermissionMode mode = PermissionMode::ask) {
    set_supervisor(places::supervisor());
    fs::create_directories(rig.root / "src");
    fs::create_directories(rig.root / ".git");
    rig.write("src/a", "a\n");
    rig.write(".env", "KEY=hidden-value\n");
    rig.hands.policy.mode = mode;
    rig.hands.may_ask = true;
    rig.hands.ready_sandbox = [this](ToolEnvironment& hands) {
      hands.sandbox = sandbox_for({rig.root}, own.path(), {}, probe_sandbox());
      hands.policy.sandbox_ready = true;
      hands.policy.repository_ready = can_open_repository(hands.sandbox);
    };
  }
  // Runs it in one turn; what the model is told.
  std::string run(const std::string& command, bool background = false) {
    const auto id = "c" + std::to_string(++calls);
    rig.script
        .then(test::calls({call(
            id, "Bash", nlohmann::json{{"command", command}, {"run_in_background", background}}.dump())}))
        .then(test::says("done"));
    rig.turn("go");
    std::string text;
    for (const auto& item : rig.context.conversation.items)
      for (const auto& block : item->blocks)
        if (const auto* result = std::get_if<ToolResult>(&block); result && result->call_id == id)
          text = result->text;
    return text;
  }
  void answer(Verdict verdict, std::uint64_t question = 1) {
    rig.commands.push(Answer{question, verdict, verdict == Verdict::no ? "go on" : "", 0});
  }
  std::vector<PermissionAsked> asked() const { return rig.seen<PermissionAsked>(); }
  bool has(const char* name) const { return fs::exists(rig.root / name); }
  int calls = 0;
};

bool no_sandbox() { return probe_sandbox().rung == SandboxRung::none; }

}  // namespace

TEST_CASE("what only looks is run unasked, whatever program it is") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  CHECK(tried.run("python3 -c 'print(open(\"src/a\").read() + \"seen\")'").find("a\nseen") !=
        std::string::npos);
  CHECK(tried.run("for f in src/*; do wc -c $f; done").find("2 src/a") != std::string::npos);
  CHECK(tried.asked().empty());
}

TEST_CASE("at a wall the person is asked by path, and only the real run is the result") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  tried.answer(Verdict::yes);
  const auto told =
      tried.run("python3 -c 'print(\"begun\"); open(\"src/new\", \"w\").write(\"x\"); print(\"made\")'");
  REQUIRE(tried.asked().size() == 1);
  CHECK(tried.asked()[0].reason == "wants to write src/new");
  CHECK(tried.has("src/new"));
  CHECK(told.find("begun\nmade") == 0);
  CHECK(told.find("Read-only") == std::string::npos);
  CHECK(told.find("wants to write src/new. The user approved the real run") != std::string::npos);
  std::string live;  // as a screen shows it
  for (const auto& progress : tried.rig.seen<ToolProgress>()) live += progress.tail;
  CHECK(live.find("[That was a first try in the sandbox.]") != std::string::npos);
}

TEST_CASE("a refusal at the wall leaves everything as it was, and the model knows what was tried") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  tried.answer(Verdict::no);
  const auto told = tried.run("python3 -c 'print(\"begun\"); open(\"src/new\", \"w\")'");
  CHECK_FALSE(tried.has("src/new"));
  CHECK(told.find("begun") == std::string::npos);
  CHECK(told.find("The tool use was rejected") != std::string::npos);
  CHECK(told.find("wants to write src/new") != std::string::npos);
}

TEST_CASE("a host that was wanted is named, as far as the command names it") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  tried.answer(Verdict::no, 1);
  tried.answer(Verdict::no, 2);
  tried.run("python3 -c 'import urllib.request as u; u.urlopen(\"http://packages.example.com/x\")'");
  tried.run("timeout 60 python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'");
  REQUIRE(tried.asked().size() == 2);
  CHECK(tried.asked()[0].reason == "wants to connect to packages.example.com");
  CHECK(tried.asked()[1].reason.find("wants to connect to ") == 0);
}

TEST_CASE("always is offered by what it covers and for how long, and holds for no more") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  std::vector<std::string> kept;
  tried.rig.hands.keep_rule = [&](const PermissionRule& rule) {
    kept.push_back(rule_text(rule));
    return std::string();
  };
  tried.rig.commands.push(Answer{1, Verdict::yes_remember, "", 1});
  tried.rig.commands.push(Answer{2, Verdict::yes_remember, "", 0});
  tried.run("mkdir -p made");
  tried.run("mkdir other");  // granted with the first
  tried.run("python3 -c 'open(\"src/new\", \"w\")'");
  tried.run("python3 -c 'open(\"src/new\", \"w\")'");
  const auto asked = tried.asked();
  REQUIRE(asked.size() == 2);
  std::vector<std::string> offered;
  for (const auto& grant : asked[0].grants)
    offered.push_back((grant.for_project ? "project: " : "session: ") + grant.text);
  CHECK(offered == std::vector<std::string>{"session: any command that begins with `mkdir`",
                                            "project: any command that begins with `mkdir`",
                                            "session: the command `mkdir -p made`",
                                            "project: the command `mkdir -p made`"});
  CHECK(asked[0].grants.at(0).text == "any command that begins with `mkdir`");
  CHECK(kept == std::vector<std::string>{"Bash(mkdir:*)"});
  REQUIRE(asked[1].grants.size() == 2);
  CHECK(asked[1].grants[0].text.starts_with("the command `python3 -c"));
}

TEST_CASE("plan mode refuses at the wall without a question, and nobody is asked headless") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried plan(PermissionMode::plan);
  CHECK(plan.run("python3 -c 'open(\"src/new\", \"w\")'").find("plan mode is read-only") !=
        std::string::npos);
  CHECK(plan.run("python3 -c 'print(1)'", true).find("Permission denied: runs in the background") !=
        std::string::npos);
  CHECK(plan.asked().empty());
  Tried headless;
  headless.rig.hands.may_ask = false;
  CHECK(headless.run("python3 -c 'open(\"src/new\", \"w\")'").find("wants to write src/new") !=
        std::string::npos);
  CHECK_FALSE(headless.has("src/new"));
}

TEST_CASE("what is tried sees no keys, and what a rule refuses to read is hidden") {
  if (no_sandbox()) SKIP("no sandbox here");
  Tried tried;
  PermissionRule rule;
  std::string error;
  REQUIRE(parse_rule(builtin_tools(), "Read(src/**)", PermissionRule::Kind::deny, "test", rule, error));
  CHECK(tried.run("python3 -c 'print(open(\".e\" + \"nv\").read())'; echo end").find("hidden-value") ==
        std::string::npos);
  CHECK(tried.run("python3 -c 'print(open(\"s\" + \"rc/a\").read())'").find("a\n") == 0);
  const auto failed = tried.run("python3 -c 'import sys; sys.exit(\"no KEY\")'");
  CHECK(failed.find("no KEY") != std::string::npos);
  CHECK(failed.find("hides files of secrets: .env.]") != std::string::npos);
  tried.rig.hands.policy.rules.push_back(rule);
  CHECK(tried.run("python3 -c 'print(open(\"s\" + \"rc/a\").read())' 2>&1").find("a\n") != 0);
}

TEST_CASE("auto mode commits in the sandbox, and hooks and settings stay as they are") {
  if (probe_sandbox().rung != SandboxRung::namespaces) SKIP("no namespaces here");
  Tried tried(PermissionMode::automatic);
  fs::remove_all(tried.rig.root / ".git");
  const std::string git = "git -C " + tried.rig.root.string() + " ";
  REQUIRE(std::system((git + "init -q && " + git + "config user.name x && " + git + "config user.email x@y")
                          .c_str()) == 0);
  tried.rig.hands.may_ask = false;
  const auto told = tried.run(
      "git add src && git commit -qm one && git switch -qc next && git stash list && git log --oneline");
  CHECK(told.find(" one\n") != std::string::npos);
  CHECK_FALSE(fs::exists(tried.rig.root / ".git/commondir"));
  CHECK_FALSE(fs::exists(tried.rig.root / ".git/modules"));
  for (const char* attack : {"echo x > .git/hooks/pre-commit", "echo x >> .git/config",
                             "echo /tmp > .git/commondir", "mv .git g && mkdir .git", "mv .git/hooks .git/h",
                             "mkdir -p .git/worktrees/w", "rm -rf .git/hooks && ln -s ../src .git/hooks"})
    CHECK(tried
              .run("git status -s; python3 -c 'import subprocess,sys; sys.exit(subprocess.call(sys.argv[1], "
                   "shell=True))' '" +
                   std::string(attack) + "' && git commit -q --allow-empty -m two && echo got through")
              .find("got through") == std::string::npos);
  CHECK(fs::exists(tried.rig.root / ".git/config"));
  CHECK_FALSE(fs::exists(tried.rig.root / ".git/commondir"));
  CHECK_FALSE(fs::exists(tried.rig.root / ".git/hooks/pre-commit"));
}
