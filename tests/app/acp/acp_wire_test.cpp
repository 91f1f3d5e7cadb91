// Whatever a client writes gets an answer or none, and ends nothing; and the program as an editor starts it.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/app/acp/acp_editor.h"
#include "tests/support/headless.h"

using Json = nlohmann::json;
using tern::test::AcpEditor;
using tern::test::FakeLlm;
using tern::test::Headless;
using tern::test::Home;
namespace fs = std::filesystem;

namespace {

std::string request(int id, const std::string& method, const Json& params) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump();
}

// The next message that is an answer or a question.
Json heard_of(Headless& tern) {
  while (const auto line = tern.line()) {
    auto message = Json::parse(*line);
    if (message.contains("id")) return message;
  }
  return nullptr;
}

Json new_session(const Home& home) { return {{"cwd", home.work.string()}, {"mcpServers", Json::array()}}; }

Json prompt_of(const std::string& session, const std::string& text) {
  return {{"sessionId", session}, {"prompt", Json::array({{{"type", "text"}, {"text", text}}})}};
}

}  // namespace

TEST_CASE("acp: a wrong message gets its error and ends nothing") {
  struct Row {
    std::string line;
    int code;
    Json id;
  };
  const std::string deep(5'000, '[');
  const Row rows[] = {
      {"not json", -32700, nullptr},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/li", -32700, nullptr},
      {"[]", -32600, nullptr},
      {"42", -32600, nullptr},
      {"{\"id\": 5}", -32600, 5},
      {deep, -32600, nullptr},
      {"{\"id\":{},\"method\":\"initialize\"}", -32600, nullptr},
      {"{\"id\":9,\"method\":\"session/teleport\"}", -32601, 9},
      {"{\"id\":\"a\",\"method\":\"session/new\",\"params\":[1]}", -32602, "a"},
      {"{\"id\":10,\"method\":\"session/new\",\"params\":{}}", -32602, 10},
      {"{\"id\":11,\"method\":\"session/new\",\"params\":{\"cwd\":\"relative\",\"mcpServers\":[]}}", -32602,
       11},
      {"{\"id\":12,\"method\":\"session/load\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}", -32602, 12},
      {"{\"id\":13,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"nobody\",\"prompt\":[]}}",
       -32002, 13},
      {"{\"id\":14,\"method\":\"session/set_mode\",\"params\":{\"sessionId\":3,\"modeId\":7}}", -32002, 14},
      {"{\"id\":15,\"method\":\"session/new\",\"params\":{\"cwd\":17,\"mcpServers\":{}}}", -32602, 15},
  };
  AcpEditor editor("{}");
  for (const auto& row : rows) {
    INFO(row.line.substr(0, 100));
    editor.write(row.line);
    const auto answer = editor.read();
    CHECK(answer["error"]["code"] == row.code);
    CHECK(answer["id"] == row.id);
    CHECK(answer["error"]["message"].is_string());
  }
  // These are nobody's question: no answer.
  for (const char* line : {"", "   ", "{\"method\":\"session/teleport\"}", "{\"id\":99,\"result\":{}}",
                           "{\"id\":99,\"error\":{}}", "{\"id\":\"x\",\"result\":null}",
                           "{\"method\":\"session/cancel\",\"params\":[]}",
                           "{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":{}}}"})
    editor.write(line);
  editor.write("{\"id\":20,\"method\":\"session/teleport\",\"params\":{\"x\":\"\xff\xfe\"}}");  // not UTF-8
  CHECK(editor.read()["id"] == 20);
  const auto session = editor.open();
  for (const Json& prompt :
       {Json(), Json::array(), Json::array({{{"type", "audio"}}}), Json::array({7, "x"}),
        Json::array({{{"type", "image"}, {"mimeType", "image/png"}, {"data", "§§"}}}), Json("words")})
    CHECK(editor.call("session/prompt", {{"sessionId", session}, {"prompt", prompt}})["error"]["code"] ==
          -32602);
  CHECK(editor.wait(editor.say(session, "hello")).contains("result"));
  CHECK(editor.close() == 0);
}

TEST_CASE("acp: a message larger than any is counted and refused by its id") {
  AcpEditor editor("{}");
  const std::string megabyte(1u << 20, 'x');
  std::string line = "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"session/prompt\",\"params\":{\"x\":\"";
  for (int i = 0; i < 65; ++i) line += megabyte;
  editor.write(line + "\"}}");
  const auto answer = editor.read();
  CHECK(answer["id"] == 77);
  CHECK(answer["error"]["code"] == -32600);
  editor.open();
}

TEST_CASE("acp: the end of input interrupts turns, answers their prompts and ends the program well") {
  const FakeLlm model(R"({"replies": [{"fault": {"kind": "hang", "at": 0}}]})");
  const Home home;
  Headless tern(home, tern::test::wires()[0], model.url(), {"acp"});
  tern.write(request(1, "session/new", new_session(home)));
  const auto opened = heard_of(tern);
  INFO(opened.dump() << tern.errors());
  const auto session = opened["result"]["sessionId"].get<std::string>();
  tern.write(request(2, "session/prompt", prompt_of(session, "hello")));
  REQUIRE(model.wait_for_requests(1, std::chrono::seconds(60)));
  SECTION("by the end of input") { tern.close_input(); }
  SECTION("by a signal") { ::kill(tern.pid(), SIGTERM); }
  const auto last = heard_of(tern);
  CHECK(last["id"] == 2);
  CHECK(last["result"]["stopReason"] == "cancelled");
  CHECK(tern.wait() == 0);
}

TEST_CASE("acp: what a folder brings is read once the user trusts it in the editor") {
  const FakeLlm model(R"({"default": {"text": "hello"}})");
  Home home;
  std::ofstream(home.path / ".config/tern/config.json") << "{}";
  std::ofstream(home.work / "AGENTS.md") << "The magic word is xyzzy.\n";
  const auto asked = [&](const char* option) {
    Headless tern(home, tern::test::wires()[0], model.url(), {"acp"});
    tern.write(request(1, "session/new", new_session(home)));
    const auto session = heard_of(tern)["result"]["sessionId"].get<std::string>();
    for (const char* text : {"first", "second"}) {
      tern.write(request(2, "session/prompt", prompt_of(session, text)));
      auto message = heard_of(tern);
      if (message.contains("method")) {
        CHECK(message["params"]["toolCall"]["title"].get<std::string>().starts_with("Trust "));
        tern.write(Json{{"jsonrpc", "2.0"},
                        {"id", message["id"]},
                        {"result", {{"outcome", {{"outcome", "selected"}, {"optionId", option}}}}}}
                       .dump());
        message = heard_of(tern);
      }
      INFO(message.dump() << tern.errors());
      CHECK(message["result"]["stopReason"] == "end_turn");
    }
    tern.close_input();
    CHECK(tern.wait() == 0);
    return model.requests().back().body.find("xyzzy") != std::string::npos;
  };
  CHECK_FALSE(asked("no"));
  CHECK(asked("yes"));
}
