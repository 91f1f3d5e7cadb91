// What an editor sees of a prompt: the messages field by field, permission, cancel, and many sessions at
// once.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/app/acp/acp_editor.h"

using Json = nlohmann::json;
using tern::test::AcpEditor;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* writes = R"({"match": [
  {"when": "write it", "calls": [{"name": "Write", "id": "call_1", "arguments": {"file_path": "new.txt", "content": "one\n"}}]}],
  "default": {"text": "It is done."}})";
// A prompt whose answer asks to write, then says what came of it.
constexpr const char* asks_to_write = R"({"replies": [
  {"calls": [{"name": "Write", "id": "call_1", "arguments": {"file_path": "new.txt", "content": "one\n"}}]},
  {"text": "It is done."}], "default": {"text": "Later."}})";

}  // namespace

TEST_CASE("acp: the agent says what it is and can") {
  const AcpEditor editor("{}", {{"auth", {{"terminal", true}}}});
  const auto& result = editor.initialized["result"];
  CHECK(result["protocolVersion"] == 1);
  CHECK(result["agentInfo"] == Json{{"name", "tern"}, {"title", "tern"}, {"version", "9.9"}});
  const auto& agent = result["agentCapabilities"];
  CHECK(agent["loadSession"] == true);
  CHECK(agent["promptCapabilities"] == Json{{"image", true}, {"audio", false}, {"embeddedContext", true}});
  CHECK(agent["mcpCapabilities"] == Json{{"http", true}, {"sse", false}});
  for (const char* name : {"list", "resume", "close", "delete", "additionalDirectories"})
    CHECK(agent["sessionCapabilities"][name] == Json::object());
  REQUIRE(result["authMethods"].size() == 2);
  CHECK(result["authMethods"][0]["type"] == "terminal");
  CHECK(result["authMethods"][0]["args"] == Json::array({"login"}));
  const AcpEditor plain("{}");
  CHECK(plain.initialized["result"]["authMethods"].size() ==
        1);  // a terminal login only where the client can show one
}

TEST_CASE("acp: a prompt is thought about, answered and accounted for") {
  AcpEditor editor(
      R"({"replies": [{"thinking": "hm", "text": "Hello there.", "usage": {"input": 1000, "output": 5}}]})");
  const auto session = editor.open();
  const auto answer = editor.wait(editor.say(session, "say hello\nand more"));
  CHECK(answer["result"] == Json{{"stopReason", "end_turn"}});
  CHECK(editor.text() == "Hello there.");
  const auto thoughts = editor.updates("agent_thought_chunk");
  REQUIRE(!thoughts.empty());
  CHECK(thoughts[0]["content"] == Json{{"type", "text"}, {"text", "hm"}});
  const auto chunk = editor.updates("agent_message_chunk").at(0);
  CHECK(chunk["messageId"].is_string());
  CHECK(editor.updates("session_info_update").at(0)["title"] == "say hello");
  const auto commands = editor.updates("available_commands_update").at(0)["availableCommands"];
  CHECK(commands.at(1)["name"] == "compact");
  CHECK(commands.at(1)["input"]["hint"].is_string());
  const auto usage = editor.updates("usage_update");
  REQUIRE(usage.size() == 1);
  CHECK(usage[0]["used"] > 900);
  CHECK(usage[0]["size"] == 200'000);
  CHECK(usage[0]["cost"]["amount"] > 0);
  CHECK(usage[0]["cost"]["currency"] == "USD");
}

TEST_CASE("acp: an edit is announced, asked about with its diff, and told as done") {
  AcpEditor editor(asks_to_write);
  const auto session = editor.open();
  const auto prompt = editor.say(session, "write it");
  const auto question = editor.wait(prompt);
  REQUIRE(question["method"] == "session/request_permission");
  const auto announced = editor.updates("tool_call");
  REQUIRE(announced.size() == 1);
  const auto file = (editor.project() / "new.txt").string();
  CHECK(announced[0]["toolCallId"] == "call_1");
  CHECK(announced[0]["kind"] == "edit");
  CHECK(announced[0]["status"] == "pending");
  CHECK(announced[0]["locations"] == Json::array({{{"path", file}}}));
  CHECK(announced[0]["rawInput"]["content"] == "one\n");
  const auto& params = question["params"];
  CHECK(params["sessionId"] == session);
  CHECK(params["toolCall"]["toolCallId"] == "call_1");
  CHECK(params["toolCall"]["content"][0] ==
        Json{{"type", "diff"}, {"path", file}, {"oldText", nullptr}, {"newText", "one\n"}});
  const auto& options = params["options"];
  CHECK(options.front() == Json{{"optionId", "yes"}, {"name", "Allow once"}, {"kind", "allow_once"}});
  CHECK(options.back()["kind"] == "reject_once");
  REQUIRE(options.size() > 2);
  CHECK(options[1]["kind"] == "allow_always");
  editor.choose(question, options[1]["optionId"]);
  CHECK(editor.wait(prompt)["result"]["stopReason"] == "end_turn");
  CHECK(content_of(file) == "one\n");
  const auto done = editor.updates("tool_call_update");
  REQUIRE(done.size() == 2);
  CHECK(done[0]["status"] == "in_progress");
  CHECK(done[1]["status"] == "completed");
  CHECK(done[1]["content"][0] ==
        Json{{"type", "diff"}, {"path", file}, {"oldText", nullptr}, {"newText", "one\n"}});
}

TEST_CASE("acp: what the user rejects is not done, and an unknown option is no yes") {
  for (const char* option : {"no", "choice-99999999999999999999", "whatever"}) {
    AcpEditor editor(asks_to_write);
    const auto session = editor.open();
    const auto prompt = editor.say(session, "write it");
    editor.choose(editor.wait(prompt), option);
    CHECK(editor.wait(prompt)["result"]["stopReason"] == "end_turn");
    CHECK_FALSE(fs::exists(editor.project() / "new.txt"));
    const auto told = editor.updates("tool_call_update").back();
    CHECK(told["status"] == "failed");
    CHECK(told["content"][0]["content"]["text"] ==
          "rejected");  // what the model is told of it is not for people
  }
}

TEST_CASE("acp: two sessions prompt at the same time, and each hears of its own alone") {
  AcpEditor editor(writes);
  const auto one = editor.open(), two = editor.open();
  REQUIRE(one != two);
  const auto first = editor.say(one, "write it");
  const auto question = editor.wait(first);  // the first now waits for an answer
  REQUIRE(question["method"] == "session/request_permission");
  editor.heard.clear();
  CHECK(editor.wait(editor.say(two, "hello"))["result"]["stopReason"] == "end_turn");
  CHECK(editor.text() == "It is done.");
  for (const auto& message : editor.heard) CHECK(message["params"]["sessionId"] == two);
  editor.choose(question, "no");
  CHECK(editor.wait(first)["result"]["stopReason"] == "end_turn");
}

TEST_CASE("acp: cancel ends the prompt that runs and those that wait, and without a prompt it does nothing") {
  AcpEditor editor(asks_to_write);
  const auto session = editor.open();
  editor.notify("session/cancel", {{"sessionId", session}});
  editor.notify("session/cancel", {{"sessionId", "nobody"}});
  const auto first = editor.say(session, "write it");
  const auto question = editor.wait(first);
  const auto second = editor.say(session, "and then"), third = editor.say(session, "at last");
  editor.notify("$/cancel_request", {{"requestId", second}});
  CHECK(editor.wait(second)["result"]["stopReason"] == "cancelled");
  editor.notify("session/cancel", {{"sessionId", session}});
  CHECK(editor.wait(third)["result"]["stopReason"] == "cancelled");
  CHECK(editor.wait(first)["result"]["stopReason"] == "cancelled");
  editor.choose(question, "yes");  // too late
  CHECK(editor.wait(editor.say(session, "once more"))["result"]["stopReason"] == "end_turn");
  CHECK_FALSE(fs::exists(editor.project() / "new.txt"));
}

TEST_CASE("acp: prompts that come while one runs wait for their turn") {
  AcpEditor editor(asks_to_write);
  const auto session = editor.open();
  const auto first = editor.say(session, "write it");
  const auto question = editor.wait(first);
  const auto second = editor.say(session, "and then");
  editor.choose(question, "yes");
  CHECK(editor.wait(first)["result"]["stopReason"] == "end_turn");
  CHECK(editor.wait(second)["result"]["stopReason"] == "end_turn");
  CHECK(editor.text() == "It is done.Later.");
}

TEST_CASE("acp: a turn that fails is an error of its prompt, and the session lives on") {
  AcpEditor editor(
      R"({"replies": [{"fault": {"kind": "status", "status": 401, "message": "bad key"}}], "default": {"text": "fine"}})");
  const auto session = editor.open();
  CHECK(editor.wait(editor.say(session, "hello"))["error"]["code"] == -32000);
  CHECK(editor.wait(editor.say(session, "again"))["result"]["stopReason"] == "end_turn");
}

TEST_CASE("acp: without a key a session is refused with the way out, and authenticate looks again") {
  AcpEditor editor("{}");
  editor.with_key = false;
  const auto refused =
      editor.call("session/new", {{"cwd", editor.project().string()}, {"mcpServers", Json::array()}});
  CHECK(refused["error"]["code"] == -32000);
  CHECK(refused["error"]["message"].get<std::string>().find("ANTHROPIC_API_KEY") != std::string::npos);
  CHECK(editor.call("authenticate", {{"methodId", "key"}})["error"]["code"] == -32000);
  editor.with_key = true;
  CHECK(editor.call("authenticate", {{"methodId", "key"}})["result"] == Json::object());
  CHECK(editor.call("authenticate", {{"methodId", "login"}})["error"]["code"] == -32602);
  editor.open();
}
