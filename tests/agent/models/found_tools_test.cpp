// Tools that a search has found, on the wires that load them themselves and on those that don't.
#include "agent/models/found_tools.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/providers.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

constexpr const char* kSchema = R"({"properties":{"text":{"type":"string"}},"type":"object"})";
const std::string kEcho = found_line("mcp__a__echo", "Says \"it\"\nagain. 你好", kSchema);
const std::string kAdd = found_line("mcp__a__add", "Adds.", kSchema);

Request searching(const std::string& result, std::string model = "some-model") {
  Request request = simple_request();
  request.model = std::move(model);
  request.tools = {{"Read", "reads", kSchema},
                   {"McpTools", "finds", R"({"type":"object"})", ToolDuty::search},
                   {"McpCall", "calls", R"({"type":"object"})", ToolDuty::relay}};
  request.conversation.items = {
      item(1, Role::user, {Text{"go"}}),
      item(2, Role::assistant, {ToolCall{"c1", "McpTools", R"({"query":"echo"})", {}}}),
      item(3, Role::user, {ToolResult{.call_id = "c1", .tool = "McpTools", .text = result}})};
  return request;
}

std::unique_ptr<Provider> at(const char* name, const std::string& url, std::optional<bool> search = true) {
  ProviderConfig config{.base_url = url, .key = "test-key-0123456789", .headers = {}};
  config.tool_search = search;
  return make_provider(name, config);
}

std::vector<std::string> names_of(const json& tools) {
  std::vector<std::string> names;
  for (const json& tool : tools) names.push_back(tool.value("name", tool.value("type", "")));
  return names;
}

}  // namespace

TEST_CASE("found tools are lines of JSON, and words follow them") {
  const std::string result = kEcho + kAdd + "The server says: hi\n" + kEcho;
  const FoundTools found = found_tools(result);
  REQUIRE(found.tools.size() == 2);
  CHECK(found.tools[0].name == "mcp__a__echo");
  CHECK(found.tools[0].description == "Says \"it\"\nagain. 你好");
  CHECK(found.tools[0].schema == kSchema);
  CHECK(found.words.starts_with("The server says"));  // what a server says is never taken for a tool
  CHECK(found_tools("[McpTools: 2 tools, r7]\n" + kEcho).tools.empty());
  CHECK(found_tools(kEcho.substr(0, 40)).tools.empty());
  CHECK(found_tools("{\"name\":3,\"parameters\":{}}\n").tools.empty());
}

TEST_CASE("anthropic: found tools are named in the result and deferred behind the tools that stay") {
  FakeLlm server;
  const auto provider = at("anthropic", server.url());
  Request request = searching(kEcho + kAdd + "The server a says of itself: be brief\n");
  run(*provider, request);
  const json body = json::parse(server.requests().at(0).body);
  CHECK(names_of(body["tools"]) ==
        std::vector<std::string>{"Read", "McpTools", "mcp__a__echo", "mcp__a__add"});
  CHECK(body["tools"][1].contains("cache_control"));
  CHECK(body["tools"][2]["defer_loading"] == true);
  CHECK(body["tools"][2]["input_schema"] == json::parse(kSchema));
  const json& content = body["messages"][2]["content"];
  CHECK(
      content[0]["content"] ==
      json::parse(
          R"([{"type":"tool_reference","tool_name":"mcp__a__echo"},{"type":"tool_reference","tool_name":"mcp__a__add"}])"));
  CHECK(content[1]["text"] == "The server a says of itself: be brief\n");
  CHECK(server.requests()[0].header("anthropic-beta").find("advanced-tool-use") != std::string::npos);
  CHECK(server.shape_problems() == std::vector<std::string>{});
}

TEST_CASE("anthropic: what was folded is loaded no longer; another schema of the same name stays a text") {
  FakeLlm server;
  const auto provider = at("anthropic", server.url());
  Request folded = searching("[McpTools: 2 tools → r7]");
  run(*provider, folded);
  json body = json::parse(server.requests().at(0).body);
  CHECK(names_of(body["tools"]) == std::vector<std::string>{"Read", "McpTools"});
  CHECK(body["messages"][2]["content"][0]["content"] == "[McpTools: 2 tools → r7]");

  Request changed = searching(kEcho);
  const std::string other = found_line("mcp__a__echo", "Says it otherwise.", kSchema);
  changed.conversation.items.push_back(
      item(4, Role::assistant, {ToolCall{"c2", "McpTools", R"({"query":"echo"})", {}}}));
  changed.conversation.items.push_back(
      item(5, Role::user, {ToolResult{.call_id = "c2", .tool = "McpTools", .text = other}}));
  run(*provider, changed);
  body = json::parse(server.requests().at(1).body);
  CHECK(names_of(body["tools"]) == std::vector<std::string>{"Read", "McpTools", "mcp__a__echo"});
  CHECK(body["tools"][2]["description"] == "Says \"it\"\nagain. 你好");
  CHECK(body["messages"][2]["content"][0]["content"][0]["type"] == "tool_reference");
  CHECK(body["messages"][4]["content"][0]["content"] == other);
  CHECK(server.shape_problems() == std::vector<std::string>{});
}

TEST_CASE("a tool that is declared is not declared once more because it was found") {
  FakeLlm server;
  for (const char* name : {"anthropic", "responses"}) {
    INFO(name);
    const auto provider = at(name, server.url());
    Request request = searching(kEcho + kAdd);
    request.tools.push_back({"mcp__a__echo", "Says it.", kSchema});
    run(*provider, request);
    const std::string body = server.requests().back().body;
    CHECK(body.find(R"("name":"mcp__a__echo")") == body.rfind(R"("name":"mcp__a__echo")"));
    CHECK(body.find(R"("name":"mcp__a__add")") != std::string::npos);
    request.conversation = searching(kEcho).conversation;
    run(*provider, request);
    CHECK(server.requests().back().body.find("again. 你好") != std::string::npos);
  }
  CHECK(server.shape_problems() == std::vector<std::string>{});
}

TEST_CASE(
    "responses: the search is a tool_search, its call and its output are items, and it comes back as a "
    "call") {
  FakeLlm server(R"({"replies":[{"calls":[{"name":"McpTools","id":"c9","arguments":{"query":"add"}}]}]})");
  const auto provider = at("responses", server.url());
  const Request request = searching(kEcho + "be brief\n");
  const Ran ran = run(*provider, request);
  const json body = json::parse(server.requests().at(0).body);
  CHECK(names_of(body["tools"]) == std::vector<std::string>{"Read", "tool_search"});
  CHECK(body["tools"][1]["execution"] == "client");
  CHECK(
      body["input"][1] ==
      json::parse(
          R"({"type":"tool_search_call","call_id":"c1","status":"completed","execution":"client","arguments":{"query":"echo"}})"));
  const json& output = body["input"][2];
  CHECK(output["type"] == "tool_search_output");
  CHECK(output["tools"][0]["name"] == "mcp__a__echo");
  CHECK(output["tools"][0]["defer_loading"] == true);
  CHECK(output["tools"][0]["parameters"] == json::parse(kSchema));
  CHECK(body["input"][3]["content"][0]["text"] == "be brief\n");
  CHECK(server.shape_problems() == std::vector<std::string>{});
  REQUIRE(ran.finished);
  CHECK(ran.finished->reason == StopReason::tools);
  CHECK(ran.started == std::vector<std::string>{"McpTools"});
  REQUIRE(ran.all<ToolCall>().size() == 1);
  CHECK(ran.all<ToolCall>()[0] == ToolCall{"c9", "McpTools", R"({"query":"add"})", {}});
}

TEST_CASE("a service that refuses its tool search is asked in plain tools, once and for all") {
  for (const auto& [name, word] : {std::pair{"anthropic", "tool_reference"}, {"responses", "tool_search"}}) {
    INFO(name);
    FakeLlm server(json{{"refuses", word}}.dump());
    const auto provider = at(name, server.url());
    const Request request = searching(kEcho);
    CHECK(run(*provider, request).text == "ok");
    CHECK(run(*provider, request).text == "ok");
    const auto sent = server.requests();
    REQUIRE(sent.size() == 3);
    CHECK(names_of(json::parse(sent[1].body)["tools"]) ==
          std::vector<std::string>{"Read", "McpTools", "McpCall"});
    CHECK(sent[1].body == sent[2].body);
    CHECK(sent[2].body.find("mcp__a__echo") != std::string::npos);
    CHECK(server.shape_problems().size() == 0);
  }
}

TEST_CASE("a tool search is left out where it is not known to be, and on wires that have none") {
  FakeLlm server;
  for (const char* name : {"anthropic", "responses", "openai", "gemini"}) {
    INFO(name);
    const auto provider = at(name, server.url(), std::nullopt);
    run(*provider, searching(kEcho, "gpt-4.1"));
    CHECK(server.requests().back().body.find("McpCall") != std::string::npos);
  }
  const auto body = [&](const char* name, const char* model, const char* url = "") {
    return at(name, url, std::nullopt)->body(searching(kEcho, model));
  };
  CHECK(body("anthropic", "claude-sonnet-5-5").find("tool_reference") != std::string::npos);
  CHECK(body("anthropic", "claude-3-7-sonnet").find("tool_reference") == std::string::npos);
  CHECK(body("anthropic", "claude-sonnet-5-5", "https://gateway.example").find("tool_reference") ==
        std::string::npos);
  CHECK(body("openai", "gpt-6-sol").find("tool_search_output") != std::string::npos);
  CHECK(body("openai", "gpt-4.1").find("tool_search") == std::string::npos);
}
