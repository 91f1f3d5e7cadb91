// The answers of the README's table of hooks, each given by a command in a run of the real program.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"
#include "tests/support/readme_row.h"

using namespace tern;
using nlohmann::json;
using test::FakeLlm;
using test::Headless;
using test::Home;

namespace {

struct Ran {
  std::string text, errors;
  std::vector<std::string> requests;

  bool told(std::size_t request, const std::string& words) const {
    return request < requests.size() && requests[request].find(words) != std::string::npos;
  }
  bool errors_have(const std::string& words) const { return errors.find(words) != std::string::npos; }
};

struct Row {
  const char* event;
  const char* answers;  // the words of the README's cell that this shows, parted by blanks
  json said;            // of hookSpecificOutput, or whole with "whole"
  std::function<bool(const Ran&)> holds;
  int status = 0;  // not 0: `said` is a text for the error output
};

constexpr const char* kCalls = R"({"replies":[
  {"calls":[{"name":"Write","arguments":{"file_path":"made.txt","content":"x"}}]},
  {"calls":[{"name":"Read","arguments":{"file_path":"nope.txt"}}]},
  {"text":"All done."},{"text":"Then this."}]})";

std::string command_of(const Row& row) {
  if (row.status != 0)
    return "echo '" + row.said.get<std::string>() + "' >&2; exit " + std::to_string(row.status);
  if (row.said.is_string()) return "echo '" + row.said.get<std::string>() + "'";
  json answer = row.said;
  if (answer.contains("whole"))
    answer = answer["whole"];
  else
    answer = {{"hookSpecificOutput", answer}};
  if (answer.contains("hookSpecificOutput")) answer["hookSpecificOutput"]["hookEventName"] = row.event;
  return "echo '" + answer.dump() + "'";
}

Ran run(const Row& row) {
  const Home home;
  const auto file = home.path / ".config/tern/config.json";
  std::filesystem::create_directories(file.parent_path());
  const json hook{{"type", "command"}, {"command", command_of(row)}};
  const bool once = std::string(row.event) == "Stop";  // it would go on for eight rounds
  json handler = hook;
  if (once) handler["once"] = true;
  std::ofstream(file)
      << json{{"trusted", {home.work.string()}}, {"hooks", {{row.event, {{{"hooks", {handler}}}}}}}}.dump();
  const bool asks = std::string(row.event) == "PermissionRequest" || row.answers == std::string("ask") ||
                    std::string(row.answers).starts_with("allow");
  const FakeLlm model(kCalls);
  std::vector<std::string> words = {"-p", "go on", "--verbose"};
  if (!asks) words.insert(words.end(), {"--allowed-tools", "Write"});
  Headless tern(home, test::wires()[0], model.url(), words);
  tern.close_input();
  Ran ran;
  while (const auto line = tern.line()) ran.text += *line + "\n";
  tern.wait();
  ran.errors = tern.errors();
  for (const auto& request : model.requests()) ran.requests.push_back(request.body);
  for (const char* name : {"made.txt", "other.txt"})  // the folder goes with `home`
    if (std::filesystem::exists(home.work / name)) ran.text += std::string("made ") + name + "\n";
  return ran;
}

bool made(const Ran& ran, const char* name) {
  return ran.text.find(std::string("made ") + name) != std::string::npos;
}

json decision(json answer) { return {{"decision", std::move(answer)}}; }

std::vector<Row> tool_rows() {
  return {
      {"PreToolUse",
       "deny permissionDecisionReason",
       {{"permissionDecision", "deny"}, {"permissionDecisionReason", "not on Monday"}},
       [](const Ran& r) { return !made(r, "made.txt") && r.told(1, "not on Monday"); }},
      {"PreToolUse", "exit", "not on Tuesday",
       [](const Ran& r) { return !made(r, "made.txt") && r.told(1, "not on Tuesday"); }, 2},
      {"PreToolUse",
       "ask",
       {{"permissionDecision", "ask"}},
       [](const Ran& r) { return !made(r, "made.txt"); }},
      {"PreToolUse",
       "allow permissionDecision",
       {{"permissionDecision", "allow"}},
       [](const Ran& r) { return made(r, "made.txt"); }},
      {"PreToolUse",
       "updatedInput",
       {{"updatedInput", {{"file_path", "other.txt"}, {"content", "y"}}}},
       [](const Ran& r) { return made(r, "other.txt") && !made(r, "made.txt"); }},
      {"PostToolUse", "exit", "lint fails", [](const Ran& r) { return r.told(1, "lint fails"); }, 2},
      {"PostToolUse",
       "reason",
       {{"whole", {{"decision", "block"}, {"reason", "lint fails"}}}},
       [](const Ran& r) { return r.told(1, "lint fails"); }},
      {"PostToolUse",
       "updatedToolOutput",
       {{"updatedToolOutput", "another output"}},
       [](const Ran& r) { return r.told(1, "another output"); }},
      {"PostToolUseFailure", "exit", "look elsewhere",
       [](const Ran& r) { return r.told(2, "look elsewhere"); }, 2},
      {"PostToolUseFailure",
       "context",
       {{"additionalContext", "look there"}},
       [](const Ran& r) { return r.told(2, "look there"); }},
      {"PermissionRequest", "decision behavior", decision({{"behavior", "allow"}}),
       [](const Ran& r) { return made(r, "made.txt"); }},
      {"PermissionRequest", "message", decision({{"behavior", "deny"}, {"message", "ask me later"}}),
       [](const Ran& r) { return !made(r, "made.txt") && r.told(1, "ask me later"); }},
      {"PermissionRequest", "interrupt", decision({{"behavior", "deny"}, {"interrupt", true}}),
       [](const Ran& r) { return r.requests.size() == 1; }},
      {"PermissionRequest", "updatedInput",
       decision({{"behavior", "allow"}, {"updatedInput", {{"file_path", "other.txt"}, {"content", "y"}}}}),
       [](const Ran& r) { return made(r, "other.txt"); }},
      {"PermissionRequest", "updatedPermissions",
       decision(
           {{"behavior", "allow"}, {"updatedPermissions", {{{"type", "setMode"}, {"mode", "acceptEdits"}}}}}),
       [](const Ran& r) { return made(r, "made.txt"); }},
  };
}

std::vector<Row> turn_rows() {
  return {
      {"UserPromptSubmit", "exit", "no such prompts", [](const Ran& r) { return r.requests.empty(); }, 2},
      {"UserPromptSubmit", "output", "it is Monday", [](const Ran& r) { return r.told(0, "it is Monday"); }},
      {"UserPromptSubmit",
       "sessionTitle",
       {{"sessionTitle", "T"}, {"additionalContext", "note"}},
       [](const Ran& r) { return r.told(0, "note"); }},
      {"SessionStart", "output", "the build is make",
       [](const Ran& r) { return r.told(0, "the build is make"); }},
      {"SessionStart",
       "sessionTitle",
       {{"sessionTitle", "T"}, {"additionalContext", "note"}},
       [](const Ran& r) { return r.told(0, "note"); }},
      {"Stop", "exit", "test it first",
       [](const Ran& r) { return r.told(3, "test it first") && r.text.find("Then this.") != r.text.npos; },
       2},
      {"Stop",
       "reason",
       {{"whole", {{"decision", "block"}, {"reason", "test it first"}}}},
       [](const Ran& r) { return r.told(3, "test it first"); }},
      {"PreToolUse",
       "continue stopReason",
       {{"whole", {{"continue", false}, {"stopReason", "enough"}}}},
       [](const Ran& r) { return r.requests.size() == 1 && r.errors_have("enough"); }},
      {"PreToolUse",
       "systemMessage",
       {{"whole", {{"systemMessage", "mind the step"}}}},
       [](const Ran& r) { return r.errors_have("mind the step"); }},
      {"PreToolUse",
       "additionalContext",
       {{"additionalContext", "by the way"}},
       [](const Ran& r) { return r.told(1, "by the way"); }},
  };
}

}  // namespace

TEST_CASE("hook answers: each of the README's does what its row says, in a run") {
  for (const auto& rows : {tool_rows(), turn_rows()})
    for (const Row& row : rows) {
      const Ran ran = run(row);
      INFO(row.event << " " << row.answers << "\n" << ran.text << ran.errors);
      CHECK(row.holds(ran));
    }
}

TEST_CASE("hook answers: the README's table has no answer that nothing here shows") {
  std::set<std::string> shown{"instructions", "pin", "drop"};  // of compactions: hook_fields_test
  for (const auto& rows : {tool_rows(), turn_rows()})
    for (const Row& row : rows) {
      const std::string words = std::string(row.answers) + " ";
      for (std::size_t at = 0, end; (end = words.find(' ', at)) != words.npos; at = end + 1)
        shown.insert(words.substr(at, end - at));
    }
  for (const char* event :
       {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit",
        "SessionStart", "SessionEnd", "Stop", "Notification", "PreCompact", "PostCompact", "PreModelSwitch"})
    for (const auto& word : test::readme_answers(event)) {
      INFO(event << " " << word);
      CHECK(shown.count(word) == 1);
    }
}
