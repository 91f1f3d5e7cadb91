#include <array>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/claude_kind.h"
#include "agent/models/providers.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

std::unique_ptr<Provider> provider_at(const FakeLlm& server) {
  return make_provider("anthropic", {.base_url = server.url(), .key = "test-key-0123456789", .headers = {}});
}

}  // namespace

TEST_CASE("anthropic streams text, thinking, calls and usage") {
  FakeLlm server(
      R"({"replies":[{"thinking":"Let me see.","text":"Reading it: \"a\\b\" ünï 中文","calls":[{"name":"Read","arguments":{"file_path":"a.cpp"}},{"name":"Bash","arguments":{}}],
    "usage":{"input":12,"output":34,"cache_read":56,"cache_write":78},"pieces":3}]})");
  const auto provider = provider_at(server);
  Request request = simple_request();
  request.thinking = 2000;
  const Ran ran = run(*provider, request);
  REQUIRE(ran.finished);
  CHECK(ran.finished->reason == StopReason::tools);
  CHECK(ran.text == "Reading it: \"a\\b\" ünï 中文");
  CHECK(ran.thinking == "Let me see.");
  REQUIRE(ran.blocks.size() == 4);
  CHECK(std::get<Thinking>(ran.blocks[0]).text == "Let me see.");
  CHECK(std::get<Text>(ran.blocks[1]).text == ran.text);
  CHECK(json::parse(std::get<ToolCall>(ran.blocks[2]).arguments) == json{{"file_path", "a.cpp"}});
  CHECK(ran.started == std::vector<std::string>{"Read", "Bash"});
  CHECK(ran.usage.input == 12);
  CHECK(ran.usage.output == 34);
  CHECK(ran.usage.cache_read == 56);
  CHECK(ran.usage.cache_write == 78);
  CHECK(ran.after_end == 0);

  const auto sent = server.requests().at(0);
  CHECK(sent.header("x-api-key") == "test-key-0123456789");
  CHECK(sent.header("anthropic-version") == "2023-06-01");
  CHECK(sent.path == "/v1/messages");

  SECTION("and sends the thought back with its signature, and the results first") {
    continue_with(request, ran.blocks);
    run(*provider, request);
    const json body = json::parse(server.requests().at(1).body);
    CHECK(body["messages"][1]["content"][0]["type"] == "thinking");
    CHECK(body["messages"][1]["content"][0]["signature"] == "sig-1");
    CHECK(body["messages"][2]["content"][0]["type"] == "tool_result");
    CHECK(server.shape_problems() == std::vector<std::string>{});
  }
}

TEST_CASE("models that decide themselves how long they think are not given a budget") {
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  Request request = simple_request();
  request.thinking = 4'000;
  for (const auto& [model, type] :
       {std::pair{"claude-sonnet-4-5", "enabled"}, std::pair{"claude-opus-4-6", "enabled"},
        std::pair{"claude-opus-4-7", "adaptive"}, std::pair{"claude-sonnet-5-5", "adaptive"}}) {
    request.model = model;
    const json thinking = json::parse(provider->body(request))["thinking"];
    CHECK(thinking["type"] == type);
    CHECK(thinking.contains("budget_tokens") == (type == std::string("enabled")));
  }
}

TEST_CASE("a wish to think longer than an answer may be leaves room for the answer") {
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  Request request = simple_request();
  request.model = "claude-sonnet-4-5";
  for (const auto& [wish, output, budget] :
       {std::array{4'000, 20'000, 4'000}, std::array{32'000, 20'000, 15'000}, std::array{10, 2'000, 1'024}}) {
    request.thinking = wish;
    request.max_output = output;
    CHECK(json::parse(provider->body(request))["thinking"]["budget_tokens"] == budget);
  }
  request.max_output = 1'200;
  CHECK_FALSE(json::parse(provider->body(request)).contains("thinking"));
}

TEST_CASE("a Claude's name says how it thinks") {
  const auto kind = [](const char* name) {
    const ClaudeKind told = claude_kind(name);
    return (told.adaptive ? 4 : 0) + (told.by_default ? 2 : 0) + (told.binds ? 1 : 0);
  };
  for (const char* old : {"claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-20250514",
                          "claude-3-7-sonnet-latest", "glm-4.6", "claude", "claude-instant", "claude-opus"})
    CHECK(kind(old) == 0);
  CHECK(kind("claude-opus-4-7") == 4);
  CHECK(kind("claude-opus-4-8-20260601[1m]") == 4);
  for (const char* five :
       {"claude-opus-5", "claude-sonnet-5-20260801", "claude-fable-5[1m]", "claude-mythos-5"})
    CHECK(kind(five) == 6);
  for (const char* bound :
       {"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5.5", "claude-fable-5-1", "claude-opus-6"})
    CHECK(kind(bound) == 7);
}

TEST_CASE("a thought bound to what stood before it is dropped when that has changed") {
  const char* plan =
      R"({"bind":true,"replies":[{"thinking":"hm","calls":[{"name":"Read","arguments":{}}]}],"default":{"text":"ok"}})";
  FakeLlm server(plan);
  auto provider = provider_at(server);
  Request request = simple_request();
  request.model = "claude-sonnet-5-5";
  const Ran first = run(*provider, request);
  continue_with(request, first.blocks);
  CHECK(run(*provider, request).text == "ok");
  request.system += " Today is another day.";

  SECTION("by the service, when the request says so") {
    CHECK(run(*provider, request).text == "ok");
    const auto sent = server.requests();
    REQUIRE(sent.size() == 3);
    CHECK(sent[2].header("anthropic-beta") == "thinking-binding-controls-2026-08-01");
    const json thinking = json::parse(sent[2].body)["thinking"];
    CHECK(thinking["type"] == "adaptive");
    CHECK(thinking["block_binding"]["prefix_mismatch_behavior"] == "drop_block");
  }
  SECTION("by hand, where the service minds it all the same") {
    request.model = "claude-of-a-gateway";
    CHECK(run(*provider, request).text == "ok");
    REQUIRE(server.requests().size() == 4);
    CHECK(server.requests()[2].body.find("sig-1") != std::string::npos);
    CHECK(server.requests()[3].body.find("sig-1") == std::string::npos);
    run(*provider, request);
    CHECK(server.requests().size() == 5);  // learnt once
    CHECK(server.shape_problems() == std::vector<std::string>{});
  }
}

TEST_CASE("a gateway that does not know the field for thoughts is asked without it") {
  FakeLlm server(
      R"({"replies":[{"fault":{"kind":"status","status":400,"message":"thinking.adaptive.block_binding: Extra inputs are not permitted"}}]})");
  auto provider = provider_at(server);
  Request request = simple_request();
  request.model = "claude-opus-5-5";
  CHECK(run(*provider, request).text == "ok");
  const auto sent = server.requests().at(1);
  CHECK(sent.header("anthropic-beta").empty());
  CHECK_FALSE(json::parse(sent.body)["thinking"].contains("block_binding"));
}

TEST_CASE("an answer goes back in the order in which it came") {
  Request request = simple_request();
  const auto call = [](const char* id) {
    return ToolCall{.id = id, .name = "Read", .arguments = "{}", .signature = {}};
  };
  continue_with(request,
                {Thinking{"A", "anthropic:sa"}, call("one"), Thinking{"B", "anthropic:sb"}, call("two")});
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  const std::string body = provider->body(request);
  CHECK(shape_problems("anthropic", body) == std::vector<std::string>{});
  const json content = json::parse(body)["messages"][1]["content"];
  REQUIRE(content.size() == 4);
  CHECK(content[0]["thinking"] == "A");
  CHECK(content[1]["id"] == "one");
  CHECK(content[2]["thinking"] == "B");
  CHECK(content[3]["id"] == "two");
}

TEST_CASE("anthropic marks system, tools and the last two messages for the cache") {
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  Request request = simple_request();
  continue_with(request, {Text{"fine"}});
  const json body = json::parse(provider->body(request));
  CHECK(body["system"][0].contains("cache_control"));
  CHECK(body["tools"][1].contains("cache_control"));
  CHECK(!body["tools"][0].contains("cache_control"));
  CHECK(!body["messages"][0]["content"][0].contains("cache_control"));
  CHECK(body["messages"][1]["content"][0].contains("cache_control"));
  CHECK(body["messages"][2]["content"][0].contains("cache_control"));
}

TEST_CASE("anthropic is asked for a cache of an hour on every mark, and tells what it wrote for so long") {
  FakeLlm server(R"({"replies":[{"text":"hello","usage":{"input":5,"cache_write":900,"long_write":700}}]})");
  const auto provider = provider_at(server);
  Request request = simple_request();
  request.long_cache = true;
  const Ran ran = run(*provider, request);
  CHECK(ran.usage.cache_write == 900);
  CHECK(ran.usage.long_write == 700);
  const auto body = server.requests().at(0).body;
  std::size_t marks = 0, hours = 0;
  for (auto at = body.find("\"cache_control\""); at != body.npos; at = body.find("\"cache_control\"", at + 1))
    ++marks;
  for (auto at = body.find("\"ttl\":\"1h\""); at != body.npos; at = body.find("\"ttl\":\"1h\"", at + 1))
    ++hours;
  CHECK(marks == 3);
  CHECK(hours == marks);
}

TEST_CASE("anthropic shapes what the service would refuse") {
  Request request = simple_request();
  request.conversation.items = {
      item(1, Role::assistant, {Text{"lost its prompt"}}),
      item(2, Role::user, {Text{"   "}}),
      item(3, Role::user, {Text{"two"}}),
      item(4, Role::assistant,
           {Text{""}, ToolCall{.id = "weird id/1", .name = "Read", .arguments = "{\"broken", .signature = {}},
            Text{"after the call"}, Thinking{.text = "unsigned", .signature = {}}}),
      item(5, Role::user,
           {Text{"steer"},
            ToolResult{.call_id = "weird id/1", .tool = "Read", .text = "", .subject = "", .recall = {}}}),
  };
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  const std::string body = provider->body(request);
  CHECK(shape_problems("anthropic", body) == std::vector<std::string>{});
  CHECK(body.find("(no output)") != body.npos);
  CHECK(body.find("unsigned") == body.npos);
}

TEST_CASE("a history of calls brings definitions even when no tools are offered") {
  Request request = simple_request();
  continue_with(request, {ToolCall{.id = "t1", .name = "Read", .arguments = "{}", .signature = {}}});
  request.tools.clear();
  request.may_call_tools = false;
  const auto provider = make_provider("anthropic", {.base_url = "https://h", .key = "k", .headers = {}});
  const json body = json::parse(provider->body(request));
  CHECK(body["tools"][0]["name"] == "Read");
  CHECK(body["tool_choice"]["type"] == "none");
}

TEST_CASE("a call cut by the output limit is dropped, a broken one is passed on") {
  FakeLlm server(
      R"({"replies":[{"text":"a","calls":[{"name":"Bash","raw":"{\"command\": \"ec"}],"stop":"length"},
                                {"text":"a","calls":[{"name":"Bash","raw":"{\"command\": \"ec"}]}]})");
  const auto provider = provider_at(server);
  const Ran cut = run(*provider, simple_request());
  CHECK(cut.finished->reason == StopReason::length);
  CHECK(cut.all<ToolCall>().empty());
  const Ran broken = run(*provider, simple_request());
  CHECK(broken.finished->reason == StopReason::tools);
  REQUIRE(broken.all<ToolCall>().size() == 1);
  CHECK(broken.all<ToolCall>()[0].arguments == "{\"command\": \"ec");
}

TEST_CASE("calls are refused in an answer that may not make any") {
  FakeLlm server(R"({"replies":[{"text":"the summary","calls":[{"name":"Read","arguments":{}}]}]})");
  Request request = simple_request();
  request.may_call_tools = false;
  const Ran ran = run(*provider_at(server), request);
  CHECK(ran.all<ToolCall>().empty());
  CHECK(ran.started.empty());
  CHECK(ran.finished->reason == StopReason::end);
}
