#include "agent/hooks/hook_entry.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.h"

using namespace tern;

namespace {

HookEntries read(const std::string& text, HookOrigin origin = HookOrigin::project,
                 std::filesystem::path root = {}) {
  return read_hooks(text, {".claude/settings.json", origin, std::move(root)});
}

}  // namespace

TEST_CASE("hook entries: the settings shape, with what each handler says") {
  const auto found = read(R"json({"model":"x","hooks":{
    "PreToolUse":[{"matcher":"Write|Edit","hooks":[
      {"type":"command","command":"check.sh","timeout":5,"if":"Bash(git *)","once":true,"onFailure":"block"},
      {"type":"command","command":"/bin/check","args":["-a","b c"]},
      {"type":"http","url":"http://localhost:1/x","headers":{"X":"$T"},"allowedEnvVars":["T"]}]}],
    "SessionEnd":[{"hooks":[{"type":"command","command":"bye"}]}],
    "Stop":[{"hooks":[{"command":"lint"}]}]}})json");
  CHECK(found.problems.empty());
  REQUIRE(found.entries.size() == 5);
  const auto& check = found.entries[0];
  CHECK(check.event == HookEvent::pre_tool_use);
  CHECK(check.matcher == "Write|Edit");
  CHECK(check.timeout == std::chrono::seconds(5));
  CHECK(check.only_if == "Bash(git *)");
  CHECK(check.once);
  CHECK(check.blocks_on_failure);
  CHECK_FALSE(check.exec);
  CHECK(found.entries[1].exec);
  CHECK(found.entries[1].args == std::vector<std::string>{"-a", "b c"});
  CHECK(found.entries[2].kind == HookEntry::Kind::http);
  CHECK(found.entries[2].allowed_env == std::vector<std::string>{"T"});
  CHECK(found.entries[3].timeout == std::chrono::milliseconds(1'500));
  CHECK(found.entries[4].timeout == std::chrono::minutes(10));
}

TEST_CASE("hook entries: an unknown event or handler is named and leaves the others alone") {
  const auto found = read(R"({"hooks":{"SubagentStop":[{"hooks":[{"command":"a"}]}],"Nonsense":[],"Stop":[
    {"hooks":[{"type":"prompt","prompt":"x"},{"type":"magic"},{"type":"command"},7,{"type":"http","url":"ftp://x"},
              {"command":"good"}]},{"matcher":"x"},5]}})");
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].command == "good");
  CHECK(found.skipped.size() == 2);
  CHECK(found.problems.size() == 7);
  CHECK(read("{}").problems.empty());
  CHECK(read("").problems.empty());
  CHECK(read("[1]").problems.size() == 1);
  CHECK(read(R"({"permissions":{"allow":[]}})").problems.empty());
}

TEST_CASE("hook entries: only the user's own configuration takes a hook out of the sandbox") {
  const std::string text = R"({"Stop":[{"hooks":[{"command":"a","sandbox":false}]}]})";
  CHECK(read(text, HookOrigin::user).entries[0].own_rights);
  CHECK_FALSE(read("{\"hooks\":" + text + "}", HookOrigin::project).entries[0].own_rights);
}

TEST_CASE("hook entries: a hook is called by its script, or by how its command begins") {
  const auto title = [](const std::string& command) {
    HookEntry entry;
    entry.command = command;
    return entry.title();
  };
  CHECK(title("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard_1.py --fast") == "guard_1.py");
  CHECK(title("grep -qE 'git[[:space:]]+push.*(main|master)'") ==
        "grep -qE 'git[[:space:]]+push.*(main|mas…");
  CHECK(title("jq -r .tool_input.command") == "jq -r .tool_input.command");
}

TEST_CASE("hook entries: matchers") {
  CHECK(matches("", "Bash"));
  CHECK(matches("*", "Bash"));
  CHECK(matches("Edit|Write", "Write"));
  CHECK(matches("Edit, Write", "Write"));
  CHECK_FALSE(matches("Edit", "MultiEdit"));
  CHECK_FALSE(matches("my-tool", "my-tool-2"));
  CHECK(matches("mcp__.*__write", "mcp__files__write"));
  CHECK(matches("Multi.*", "MultiEdit"));
  CHECK(matches("^(Edit|Write)$", "Edit"));
  CHECK_FALSE(matches("([", "Edit"));
}

TEST_CASE("hook entries: the hash follows the entry and the project's scripts it names") {
  const test::TempDir folder;
  std::filesystem::create_directories(folder.path() / ".claude/hooks");
  const auto script = folder.path() / ".claude/hooks/guard.sh";
  std::ofstream(script) << "exit 0";
  const std::string named =
      R"({"hooks":{"Stop":[{"hooks":[{"command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh -x"}]}]}})";
  const auto before = read(named, HookOrigin::project, folder.path()).entries[0];
  CHECK(before.title() == "guard.sh");
  CHECK(hash_of(before, folder.path()) == before.hash);
  std::ofstream(script) << "curl evil";
  CHECK(hash_of(before, folder.path()) != before.hash);
  const auto other =
      read(R"({"hooks":{"Stop":[{"hooks":[{"command":"true"}]}]}})", HookOrigin::project, folder.path());
  CHECK(other.entries[0].hash != before.hash);
}

TEST_CASE("hook entries: a file that a hook writes changes nothing of its approval, one that it runs does") {
  const test::TempDir folder;
  const auto follows = [&](const std::string& command) {
    std::ofstream(folder.path() / "x.sh") << "exit 0";
    const auto text = nlohmann::json{{"Stop", {{{"hooks", {{{"command", command}}}}}}}}.dump();
    const auto entry = read(R"({"hooks":)" + text + "}", HookOrigin::project, folder.path()).entries.at(0);
    std::ofstream(folder.path() / "x.sh") << "curl evil";
    return hash_of(entry, folder.path()) != entry.hash;
  };
  for (const char* writes :
       {"cat > x.sh", "cat >> x.sh", "jq . >x.sh 2>&1", "true &> x.sh", "echo >& x.sh"}) {
    INFO(writes);
    CHECK_FALSE(follows(writes));
  }
  for (const char* runs : {"cat > x.sh; sh x.sh", "echo >&2; ./x.sh", "tee >(./x.sh)", "true > $(./x.sh)",
                           "sh <> x.sh", "sh < x.sh", "sh 2>&1 x.sh"}) {
    INFO(runs);
    CHECK(follows(runs));
  }
}
