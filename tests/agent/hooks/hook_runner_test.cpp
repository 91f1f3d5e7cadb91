// Which hooks run, what they are told, and how far what they say counts; the handlers themselves are played.
#include "agent/hooks/hook_runner.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.h"

using namespace tern;
using nlohmann::json;

namespace {

struct Played {
  test::TempDir folder;
  std::vector<HookJob> jobs;  // all so far
  std::vector<std::string> told;
  HookOutcome outcome;
  bool sandboxed = true;

  HookWorld world() {
    return {.root = folder.path(),
            .env = {"PATH=/bin"},
            .sandbox =
                [this] {
                  Sandbox sandbox;
                  sandbox.on = sandboxed;
                  return sandbox;
                },
            .common = [] { return std::string(R"({"session_id":"s","cwd":"/w"})"); },
            .session = [] { return std::string("s"); },
            .tell = [this](Notice notice) { told.push_back(notice.text); },
            .variable = [](const std::string& name) { return "value of " + name; },
            .run =
                [this](std::vector<HookJob> wanted, std::stop_token) {
                  std::vector<HookOutcome> outcomes(wanted.size(), outcome);
                  std::move(wanted.begin(), wanted.end(), std::back_inserter(jobs));
                  return outcomes;
                }};
  }
  HookRunner runner(const std::string& text, HookOrigin origin) {
    return HookRunner(read_hooks(text, {"settings.json", origin, folder.path()}),
                      EntryApprovals(folder.path() / "state/hooks"), world());
  }
};

std::string on(const std::string& event, const std::string& handler) {
  return R"({"hooks":{")" + event + R"(":[{"hooks":[)" + handler + "]}]}}";
}

const HookCall bash_call{HookEvent::pre_tool_use, "Bash",
                         R"({"tool_name":"Bash","tool_input":{"command":"ls"}})"};
constexpr const char* allows =
    R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}})";

}  // namespace

TEST_CASE("hook runner: the input has the common fields, the event and its own fields, on one line") {
  Played played;
  auto runner = played.runner(on("PreToolUse", R"({"command":"a"})"), HookOrigin::user);
  runner.ask(bash_call, {});
  REQUIRE(played.jobs.size() == 1);
  CHECK(json::parse(played.jobs[0].input) == json{{"session_id", "s"},
                                                  {"cwd", "/w"},
                                                  {"hook_event_name", "PreToolUse"},
                                                  {"tool_name", "Bash"},
                                                  {"tool_input", {{"command", "ls"}}}});
  CHECK(played.jobs[0].input.find('\n') == played.jobs[0].input.size() - 1);
  const auto& spec = played.jobs[0].command;
  CHECK(spec.argv.back() == "a");
  CHECK(spec.sandbox.on);
  CHECK(spec.env[spec.env.size() - 2] == "CLAUDE_PROJECT_DIR=" + played.folder.path().string());
  CHECK(spec.env.back() == "CLAUDE_CODE_SESSION_ID=s");
}

TEST_CASE("hook runner: only what listens to the event, matches and is meant by its rule runs") {
  Played played;
  auto runner = played.runner(R"json({"hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"command":"a"}]},
    {"matcher":"Bash","hooks":[{"command":"b","if":"Bash(git *)"},{"command":"c","once":true}]}],
    "Stop":[{"hooks":[{"command":"d"}]}]}})json",
                              HookOrigin::user);
  auto call = bash_call;
  call.rule_hits = [](const std::string& rule) { return rule != "Bash(git *)"; };
  runner.ask(call, {});
  REQUIRE(played.jobs.size() == 1);
  CHECK(played.jobs[0].command.argv.back() == "c");
  runner.ask(call, {});
  CHECK(played.jobs.size() == 1);
  CHECK(runner.heard() == (Hooks::bit(HookEvent::pre_tool_use) | Hooks::bit(HookEvent::stop)));
}

TEST_CASE("hook runner: a project's hook waits for its approval, and a changed script waits again") {
  Played played;
  const auto script = played.folder.path() / "guard.sh";
  std::ofstream(script) << "exit 0";
  const auto text = on("PreToolUse", R"({"command":"./guard.sh"})");
  {
    auto runner = played.runner(text, HookOrigin::project);
    CHECK(runner.waiting() == 1);
    CHECK(runner.heard() == 0);
    runner.ask(bash_call, {});
    CHECK(played.jobs.empty());
    CHECK(runner.decide(0, EntryAnswer::approved).empty());
    runner.ask(bash_call, {});
    CHECK(played.jobs.size() == 1);
  }
  auto runner = played.runner(text, HookOrigin::project);  // the next start
  CHECK(runner.waiting() == 0);
  runner.ask(bash_call, {});
  CHECK(played.jobs.size() == 2);
  std::ofstream(script) << "curl evil";
  runner.ask(bash_call, {});
  CHECK(played.jobs.size() == 2);
  CHECK(runner.waiting() == 1);
  CHECK(played.told == std::vector<std::string>{"PreToolUse hook guard.sh (settings.json) has changed and "
                                                "waits for your approval. /hooks shows it."});
  CHECK(played.runner(text, HookOrigin::project).waiting() == 1);
}

TEST_CASE(
    "hook runner: settings of another agent are the user's, but wait once; the answer holds in every "
    "folder") {
  Played played;
  const auto text = on("Stop", R"({"command":"a"})");
  CHECK(played.runner(text, HookOrigin::imported).waiting() == 1);
  CHECK(played.runner(text, HookOrigin::imported).decide(0, EntryAnswer::approved).empty());
  CHECK(played.runner(text, HookOrigin::imported).waiting() == 0);
  CHECK(played.runner(text, HookOrigin::project).waiting() == 1);
}

TEST_CASE(
    "hook runner: a project's hook allows nothing before it is granted the user's rights; it may always "
    "deny") {
  Played played;
  played.outcome.out = allows;
  const auto text = on("PreToolUse", R"({"command":"a"})");
  auto project = played.runner(text, HookOrigin::project);
  project.decide(0, EntryAnswer::approved);
  CHECK(project.ask(bash_call, {}).word == HookWord::none);
  project.decide(0, EntryAnswer::granted);
  CHECK(project.ask(bash_call, {}).word == HookWord::allow);
  CHECK_FALSE(played.jobs.back().command.sandbox.on);
  CHECK(played.runner(text, HookOrigin::user).ask(bash_call, {}).word == HookWord::allow);
  project.decide(0, EntryAnswer::approved);
  played.outcome = {.status = 2, .out = {}, .err = "no"};
  CHECK(project.ask(bash_call, {}).word == HookWord::deny);
  project.decide(0, EntryAnswer::refused);
  CHECK(project.ask(bash_call, {}).word == HookWord::none);
}

TEST_CASE("hook runner: where there is no sandbox a project's hook does not run, and that is said once") {
  Played played;
  played.sandboxed = false;
  auto runner = played.runner(on("PreToolUse", R"({"command":"a"})"), HookOrigin::project);
  runner.decide(0, EntryAnswer::approved);
  runner.ask(bash_call, {});
  runner.ask(bash_call, {});
  CHECK(played.jobs.empty());
  CHECK(played.told.size() == 1);
  runner.decide(0, EntryAnswer::granted);
  runner.ask(bash_call, {});
  CHECK(played.jobs.size() == 1);
}

TEST_CASE("hook runner: a failure names the hook and its source, and the list shows its last run") {
  Played played;
  played.outcome = {.status = 1, .out = {}, .err = "no jq", .took = std::chrono::milliseconds(12)};
  auto runner = played.runner(on("Stop", R"({"command":"hooks/lint.sh"})"), HookOrigin::user);
  runner.ask({HookEvent::stop, {}, "{}"}, {});
  runner.ask({HookEvent::stop, {}, "{}"}, {});
  const std::string what = "Stop hook lint.sh (settings.json): exit code 1: no jq";
  const std::string way =
      "\nIt ran in the sandbox, where it can't connect or write outside of the project. /hooks grant NUMBER "
      "runs it outside.";
  CHECK(played.told == std::vector<std::string>{what + way, what});  // the way out once
  REQUIRE(runner.rows()[0].last);
  CHECK(runner.rows()[0].last->shown == "failed: exit code 1: no jq");
  CHECK(runner.rows()[0].last->took == std::chrono::milliseconds(12));
}

TEST_CASE("hook runner: headers get the variables they list; secrets are not for a project's address") {
  Played played;
  const auto text =
      on("Stop", R"({"type":"http","url":"http://localhost:1","allowedEnvVars":["API_KEY","TEAM"],
                                   "headers":{"A":"Bearer ${API_KEY}","B":"$TEAM/$OTHER $"}})");
  auto own = played.runner(text, HookOrigin::user);
  own.ask({HookEvent::stop, {}, "{}"}, {});
  auto theirs = played.runner(text, HookOrigin::project);
  theirs.decide(0, EntryAnswer::approved);
  theirs.ask({HookEvent::stop, {}, "{}"}, {});
  REQUIRE(played.jobs.size() == 2);
  const auto header = [&](std::size_t job, std::size_t at) {
    return played.jobs[job].request->headers[at].second;
  };
  CHECK(header(0, 1) == "Bearer value of API_KEY");
  CHECK(header(0, 2) == "value of TEAM/ $");
  CHECK(header(1, 1) == "Bearer ");
  CHECK(header(1, 2) == "value of TEAM/ $");
}

TEST_CASE("hook runner: a hook that runs aside holds nobody up and answers nothing") {
  Played played;
  played.outcome.out = allows;
  auto runner = played.runner(on("PreToolUse", R"({"command":"a","async":true})"), HookOrigin::user);
  CHECK(runner.ask(bash_call, {}).word == HookWord::none);
}

TEST_CASE("hook runner: a hook that runs aside and may wake the model tells it what it found") {
  Played played;
  std::vector<std::string> words;
  auto world = played.world();
  world.wake = [&](std::string said) { words.push_back(std::move(said)); };
  played.outcome = {.status = 2, .out = {}, .err = "a secret is in the commit"};
  const auto ask = [&](const char* handler) {
    HookRunner runner(
        read_hooks(on("PostToolUse", handler), {"settings.json", HookOrigin::user, played.folder.path()}),
        EntryApprovals(played.folder.path() / "state/hooks"), world);
    CHECK_FALSE(runner.ask({HookEvent::post_tool_use, "Bash", "{}"}, {}).blocked);
  };  // its end waits for what runs aside
  ask(R"({"command":"a","async":true})");
  CHECK(words.empty());
  ask(R"({"command":"look.sh","asyncRewake":true})");
  CHECK(words == std::vector<std::string>{
                     "[The PostToolUse hook look.sh (settings.json) says: a secret is in the commit]"});
}

TEST_CASE("hook runner: what hooks write for later commands counts only with the user's trust") {
  Played played;
  played.outcome.out = std::string("PATH=/bin\0STAGE=1\0", 18);
  auto world = played.world();
  world.scratch = [&] { return played.folder.path(); };
  auto run = world.run;
  world.run = [&](std::vector<HookJob> jobs, std::stop_token stop) {
    for (const auto& entry : jobs.front().command.env)
      if (entry.starts_with("CLAUDE_ENV_FILE=")) std::ofstream(entry.substr(16)) << "export STAGE=1\n";
    return run(std::move(jobs), stop);
  };
  const auto text = on("SessionStart", R"({"command":"start.sh"})");
  const auto variables = [&](HookOrigin origin, EntryAnswer answer) {
    HookRunner runner(read_hooks(text, {"settings.json", origin, played.folder.path()}),
                      EntryApprovals(played.folder.path() / "state/hooks"), world);
    runner.decide(0, answer);
    return runner.ask({HookEvent::session_start, "startup", "{}"}, {}).variables;
  };
  CHECK(variables(HookOrigin::user, EntryAnswer::approved) == std::vector<std::string>{"STAGE=1"});
  CHECK(variables(HookOrigin::project, EntryAnswer::approved).empty());
  REQUIRE(played.told.size() == 1);
  CHECK(played.told[0].find("sets variables for commands") != std::string::npos);
  CHECK(variables(HookOrigin::project, EntryAnswer::granted) == std::vector<std::string>{"STAGE=1"});
}
