// The life of sessions: listed, loaded, resumed, closed, deleted; what a client may set of them; slash
// commands and compaction.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/app/acp/acp_editor.h"
#include "tests/support/places.h"

using Json = nlohmann::json;
using tern::test::AcpEditor;

namespace {

Json place_of(const AcpEditor& editor, const std::string& session = {}) {
  Json params{{"cwd", editor.project().string()}, {"mcpServers", Json::array()}};
  if (!session.empty()) params["sessionId"] = session;
  return params;
}

constexpr const char* reads = R"({"replies": [
  {"text": "I look.", "calls": [{"name": "Read", "id": "call_1", "arguments": {"file_path": "a.txt"}}]},
  {"text": "It says hello."}], "default": {"text": "More."}})";

std::string kinds(const AcpEditor& editor) {
  std::string line;
  for (const auto& message : editor.heard)
    line += message["params"]["update"]["sessionUpdate"].get<std::string>() + " ";
  return line;
}

}  // namespace

TEST_CASE(
    "acp: a session is listed, loaded with its history, resumed without it, and deleted from the list") {
  AcpEditor editor(reads);
  std::ofstream(editor.project() / "a.txt") << "hello\n";
  const auto session = editor.open();
  editor.wait(editor.say(session, "what does it say?"));
  CHECK(editor.call("session/close", {{"sessionId", session}})["result"] == Json::object());
  CHECK(editor.wait(editor.say(session, "closed"))["error"]["code"] == -32002);

  const auto list = editor.call("session/list", {{"cwd", editor.project().string()}})["result"]["sessions"];
  REQUIRE(list.size() == 1);
  CHECK(list[0]["sessionId"] == session);
  CHECK(list[0]["cwd"] == editor.project().string());
  CHECK(list[0]["title"] == "what does it say?");
  CHECK(list[0]["updatedAt"].get<std::string>().size() == 20);

  editor.heard.clear();
  const auto loaded = editor.call("session/load", place_of(editor, session));
  CHECK(loaded["result"]["modes"]["currentModeId"] == "ask");
  CHECK(kinds(editor) ==
        "user_message_chunk agent_message_chunk tool_call tool_call_update agent_message_chunk ");
  CHECK(editor.text() == "I look.It says hello.");
  CHECK(editor.updates("tool_call_update").at(0)["status"] == "completed");
  CHECK(editor.wait(editor.say(session, "go on"))["result"]["stopReason"] == "end_turn");

  editor.heard.clear();
  CHECK(editor.call("session/resume", place_of(editor, session))
            .contains("result"));  // it is open: that one ends first
  CHECK(kinds(editor).empty());
  CHECK(editor.wait(editor.say(session, "and on"))["result"]["stopReason"] == "end_turn");
  CHECK(editor.model.requests().back().body.find("what does it say?") != std::string::npos);

  CHECK(editor.call("session/delete", {{"sessionId", session}})["result"] == Json::object());
  CHECK(editor.call("session/list", {{"cwd", editor.project().string()}})["result"]["sessions"].empty());
  CHECK(editor.call("session/delete", {{"sessionId", "nobody22"}})["error"]["code"] == -32002);
  CHECK(editor.call("session/load", place_of(editor, "nobody22")).contains("error"));
  CHECK(editor.call("session/load", place_of(editor, "what"))
            .contains("error"));  // a word of a prompt is no id
}

TEST_CASE("acp: modes and options are offered, set, and refused when there are none of that name") {
  AcpEditor editor("{}");
  const auto answer = editor.call("session/new", place_of(editor))["result"];
  const auto session = answer["sessionId"].get<std::string>();
  std::vector<std::string> modes;
  for (const auto& mode : answer["modes"]["availableModes"]) modes.push_back(mode["id"]);
  CHECK(modes == std::vector<std::string>{"ask", "accept-edits", "plan", "auto"});
  const auto& options = answer["configOptions"];
  REQUIRE(options.size() == 4);
  CHECK(options[0]["category"] == "mode");
  CHECK(options[1]["category"] == "model");
  CHECK(options[1]["currentValue"] == "anthropic/claude-sonnet-4-5");
  CHECK(options[2]["category"] == "thought_level");
  CHECK(options[2]["type"] == "select");
  CHECK(options[3]["id"] == "compression");

  CHECK(editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "plan"}})["result"] ==
        Json::object());
  CHECK(editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "bypass"}})["error"]["code"] ==
        -32602);
  const auto set = [&](const char* option, const char* value) {
    return editor.call("session/set_config_option",
                       {{"sessionId", session}, {"configId", option}, {"value", value}});
  };
  CHECK(set("effort", "high")["result"]["configOptions"][2]["currentValue"] == "high");
  CHECK(set("model", "anthropic/claude-haiku-5-5")["result"]["configOptions"][1]["currentValue"] ==
        "anthropic/claude-haiku-5-5");
  CHECK(set("mode", "auto")["result"]["configOptions"][0]["currentValue"] == "auto");
  CHECK(set("effort", "enormous")["error"]["code"] == -32602);
  CHECK(set("colour", "blue")["error"]["code"] == -32602);
  editor.wait(editor.say(session, "hello"));
  CHECK(editor.model.requests().back().body.find("claude-haiku-5-5") != std::string::npos);
}

TEST_CASE("acp: each slash command answers as text and ends its prompt") {
  AcpEditor editor(R"({"default": {"text": "hello"}})");
  const auto session = editor.open();
  editor.wait(editor.say(session, "hello"));
  const auto commands = editor.updates("available_commands_update").at(0)["availableCommands"];
  for (const auto& command : commands) {
    const auto name = command["name"].get<std::string>();
    editor.heard.clear();
    INFO(name);
    CHECK(editor.wait(editor.say(session, "/" + name))["result"]["stopReason"] == "end_turn");
    CHECK(!editor.text().empty());
  }
  CHECK(editor.model.requests().size() == 1);
}

TEST_CASE("acp: a compaction is told with its summary where the client shows it, else as nothing") {
  constexpr const char* scenario =
      R"({"rounds": {"n": 6, "call": {"name": "Bash", "arguments": {"command": "seq $i000 $i900"}},
    "text": "Round $i.", "final": "all done"}, "summary": {"text": "<summary>\n1. Primary Request and Intent: the rounds\n</summary>"}})";
  for (const bool shown : {true, false}) {
    AcpEditor editor(scenario, shown ? Json{{"session", {{"compaction", Json::object()}}}} : Json::object());
    const auto session = editor.open();
    editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "accept-edits"}});
    const auto prompt = editor.say(session, "do the rounds");
    for (auto message = editor.wait(prompt); message.contains("method"); message = editor.wait(prompt))
      editor.choose(message, "yes");
    editor.heard.clear();
    CHECK(editor.wait(editor.say(session, "/compact"))["result"]["stopReason"] == "end_turn");
    const auto told = editor.updates("compaction_update");
    CHECK(told.size() == (shown ? 2 : 0));
    if (!shown) continue;
    CHECK(told.front()["status"] == "in_progress");
    CHECK(told.back()["status"] == "completed");
    CHECK(told.front()["compactionId"] == told.back()["compactionId"]);
    const auto chunk = editor.updates("compaction_summary_chunk").at(0);
    CHECK(chunk["compactionId"] == told.front()["compactionId"]);
    CHECK(chunk["content"]["text"].get<std::string>().find("the rounds") != std::string::npos);
    CHECK(editor.updates("usage_update").size() >= 1);
  }
}

TEST_CASE("acp: the servers a client hands over are the model's to call") {
  AcpEditor editor(R"({"replies": [
    {"calls": [{"name": "McpTools", "arguments": {"query": "echo"}}]},
    {"calls": [{"name": "McpCall", "id": "call_1", "arguments": {"server": "My_Server", "tool": "echo", "arguments": {"text": "over here"}}}]},
    {"text": "done"}]})");
  auto params = place_of(editor);
  params["mcpServers"].push_back({{"name", "My Server"},
                                  {"command", tern::places::mcp_server()},
                                  {"args", {"{}"}},
                                  {"env", Json::array()}});
  params["mcpServers"].push_back(
      {{"type", "sse"}, {"name", "old"}, {"url", "http://localhost:1"}, {"headers", Json::array()}});
  const auto session = editor.call("session/new", params)["result"]["sessionId"].get<std::string>();
  const auto prompt = editor.say(session, "call it");
  const auto question = editor.wait(prompt);
  INFO(editor.model.requests().back().body);
  REQUIRE(question.value("method", "") == "session/request_permission");
  editor.choose(question, "yes");
  CHECK(editor.wait(prompt)["result"]["stopReason"] == "end_turn");
  CHECK(editor.model.requests().back().body.find("echo: over here") != std::string::npos);
}
