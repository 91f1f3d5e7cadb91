// What must hold for every dialect of the wire.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/http_provider.h"
#include "agent/models/providers.h"
#include "compression/values/tokens.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"
#include "tests/support/wires.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

std::unique_ptr<Provider> quick(const std::string& name, const std::string& url) {
  RunOptions options;
  options.wait = [](std::chrono::milliseconds, std::stop_token stop) { return !stop.stop_requested(); };
  return make_provider_with(name, {.base_url = url, .key = "test-key-0123456789", .headers = {}}, options);
}

const char* const full_reply =
    R"({"replies":[{"thinking":"Let me see.","text":"Reading it: \"a\\b\" ünï 中文","calls":[{"name":"Read","arguments":{"file_path":"a.cpp"}},
  {"name":"Bash","arguments":{}}],"usage":{"input":120,"output":34},"pieces":3}]})";

}  // namespace

TEST_CASE("every dialect streams text, thoughts, parallel calls and usage") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    FakeLlm server(full_reply);
    const auto provider = quick(wire.provider, server.url());
    const Ran ran = run(*provider, simple_request());
    REQUIRE(ran.finished);
    CHECK(ran.finished->reason == StopReason::tools);
    CHECK(ran.text == "Reading it: \"a\\b\" ünï 中文");
    CHECK(ran.thinking == "Let me see.");
    REQUIRE(ran.all<Text>().size() == 1);
    CHECK(ran.all<Text>()[0].text == ran.text);
    const auto calls = ran.all<ToolCall>();
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].name == "Read");
    CHECK(json::parse(calls[0].arguments) == json{{"file_path", "a.cpp"}});
    CHECK(calls[0].id != calls[1].id);
    CHECK(ran.started == std::vector<std::string>{"Read", "Bash"});
    CHECK(ran.usage.input == 120);
    CHECK(ran.usage.output == 34);
  }
}

TEST_CASE("a tool loop of thirty rounds is well shaped in every dialect") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    FakeLlm server(
        R"({"rounds":{"n":30,"call":{"name":"Bash","arguments":{"command":"echo $i"}},"final":"all done"}})");
    const auto provider = quick(wire.provider, server.url());
    Request request = simple_request();
    int rounds = 0;
    Ran ran = run(*provider, request);
    for (; ran.finished && ran.finished->reason == StopReason::tools && rounds < 40; ++rounds) {
      continue_with(request, ran.blocks);
      ran = run(*provider, request);
    }
    CHECK(rounds == 30);
    CHECK(ran.text == "all done");
    CHECK(server.shape_problems() == std::vector<std::string>{});
  }
}

TEST_CASE("two requests in a row share the whole prefix up to the new items") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    const auto provider = quick(wire.provider, "https://h");
    Request request = simple_request();
    for (int round = 0; round < 4; ++round)
      continue_with(
          request,
          {Text{"round " + std::to_string(round)},
           ToolCall{.id = "c" + std::to_string(round), .name = "Read", .arguments = "{}", .signature = {}}});
    const auto bare = [&] {
      std::string body = provider->body(request);
      const std::string marker = R"(,"cache_control":{"type":"ephemeral"})";
      for (auto at = body.find(marker); at != body.npos; at = body.find(marker))
        body.erase(at, marker.size());
      return body;
    };
    std::string before = bare();
    continue_with(request, {Text{"one more"}});
    const std::string after = bare();
    while (before.ends_with(']') || before.ends_with('}')) before.pop_back();
    CHECK(after.starts_with(before));
  }
}

TEST_CASE("hostile content makes a well-shaped body in every dialect") {
  Request request = simple_request();
  request.conversation.items = {
      item(1, Role::user,
           {Text{std::string("broken \xff\xfe utf-8, \x1b escape, NUL \0 end", 36)},
            Image{"image/png", "\x89PNG"}}),
      item(2, Role::assistant,
           {Text{""}, ToolCall{.id = "weird id/1", .name = "Read", .arguments = "{\"broken", .signature = {}},
            ToolCall{.id = std::string(200, 'x'), .name = "Bash", .arguments = "", .signature = {}},
            Text{"after"}}),
      item(3, Role::user,
           {Text{"steer"},
            ToolResult{.call_id = "weird id/1", .tool = "Read", .text = "", .subject = "", .recall = {}},
            ToolResult{.call_id = std::string(200, 'x'),
                       .tool = "Bash",
                       .text = "\xc3\x28",
                       .is_error = true,
                       .subject = "",
                       .recall = {}}}),
      item(4, Role::user, {Summary{"what came before", {}}}),
  };
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    const std::string body = quick(wire.provider, "https://h")->body(request);
    CHECK(json::accept(body));
    CHECK(shape_problems(wire.name, body) == std::vector<std::string>{});
    CHECK(body.find("(no output)") != body.npos);
  }
}

TEST_CASE("a full context is recognised in each service's own words, with its figures") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    FakeLlm server(R"({"default":{"fault":{"kind":"overflow","limit":200000,"asked":213462}}})");
    const Ran ran = run(*quick(wire.provider, server.url()), simple_request());
    REQUIRE(ran.failed);
    CHECK(ran.failed->kind == Failure::overflow);
    CHECK(server.requests().size() == 1);
    const std::string_view name = wire.name;
    if (name == "responses" || name == "ollama") continue;  // they do not say
    CHECK(ran.failed->limit == 200'000);
    CHECK(ran.failed->asked == 213'462);
  }
  for (int status : {400, 500}) {
    FakeLlm server(
        R"({"default":{"fault":{"kind":"overflow","shape":"llamacpp","limit":8192,"asked":14429,"status":)" +
        std::to_string(status) + "}}}");
    const Ran ran = run(*quick("llamacpp", server.url()), simple_request());
    REQUIRE(ran.failed);
    CHECK(ran.failed->kind == Failure::overflow);
    CHECK(ran.failed->limit == 8'192);
    CHECK(ran.failed->asked == 14'429);
  }
}

TEST_CASE("a prompt cut without a word counts as overflow, and nothing of the answer does") {
  for (const std::string name : {"ollama", "openai", "llamacpp"}) {
    INFO(name);
    FakeLlm server(
        R"({"default":{"text":"an answer to half the question","calls":[{"name":"Bash","arguments":{"command":"rm x"}}],"usage":{"input":4096,"output":5}}})");
    Request request = simple_request();
    request.window = 32'000;
    std::string text;
    for (int i = 0; i < 6'000; ++i) text += "word" + std::to_string(i) + " ";
    request.conversation.items = {item(1, Role::user, {Text{text}})};
    const Ran ran = run(*quick(name, server.url()), request);
    REQUIRE(ran.failed);
    CHECK(ran.failed->kind == Failure::overflow);
    CHECK(ran.failed->limit == 4'096);
    CHECK(ran.blocks.empty());
    if (name == std::string("ollama")) {
      const json body = json::parse(server.requests().at(0).body);
      CHECK(body["options"]["num_ctx"] == 32'000);
      CHECK(body["truncate"] == false);
    }
  }
}

namespace {

std::string many_words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word" + std::to_string(i) + " ";
  return text;
}

Ran answered_with(const std::string& name, const Request& request, int reported) {
  FakeLlm server(R"({"default":{"text":"an answer","usage":{"input":)" + std::to_string(reported) +
                 R"(,"output":5}}})");
  return run(*quick(name, server.url()), request);
}

}  // namespace

TEST_CASE("a small figure from a local server is not taken for a cut prompt when it has another reason") {
  for (const std::string name : {"ollama", "openai", "llamacpp"}) {
    INFO(name);
    Request cached = simple_request(many_words(6'000));
    continue_with(
        cached,
        {Text{"an answer"}});  // what is new is short, and all an old server with a cached prefix reports
    for (int reported : {1, 30, 700}) CHECK(answered_with(name, cached, reported).finished);
    Request thoughts = simple_request();
    continue_with(thoughts, {Thinking{many_words(6'000), "", false}, Text{"an answer"}});  // not sent again
    CHECK(answered_with(name, thoughts, 1'100).finished);
    Request picture = simple_request();
    std::vector<Block> pictures(20, Image{"image/png", std::string(50'000, 'p')});
    picture.conversation.items.push_back(item(7, Role::user, pictures));
    CHECK(answered_with(name, picture, 1'700).finished);
    // The cut is still seen: by a short answer to a long history, and by a context that was filled to its end
    // or its half.
    Request history = simple_request(many_words(6'000));
    continue_with(history, {Text{"an answer"}});
    CHECK(answered_with(name, history, 3'900).failed);
    for (int reported : {2'048, 4'096, 2'050, 8'190})
      CHECK(answered_with(name, simple_request(many_words(6'000)), reported).failed);
    // A tokenizer that is kind to digits counts half of what we estimate, now and then near a multiple of
    // 1,024.
    int words = 1'000;
    while (estimate(many_words(words)) < 7'168 * 100 / 53) words += 100;
    CHECK(answered_with(name, simple_request(many_words(words)), 7'168).finished);
  }
}

TEST_CASE("thoughts in tags stream as thoughts, wherever the tags are cut") {
  for (const std::string name : {"ollama", "openai", "llamacpp"})
    for (int piece : {1, 3, 4, 7, 9, 200}) {
      INFO(name << " in pieces of " << piece);
      FakeLlm server(
          R"({"default":{"text":"\n<think>hm, if a < b and </i> then\n</think>\n\nThe <b>answer</b>.","pieces":)" +
          std::to_string(piece) + "}}");
      const Ran ran = run(*quick(name, server.url()), simple_request());
      REQUIRE(ran.finished);
      CHECK(ran.thinking == "hm, if a < b and </i> then\n");
      CHECK(ran.text == "The <b>answer</b>.");
      REQUIRE(ran.all<Text>().size() == 1);
      CHECK(ran.all<Text>()[0].text == "The <b>answer</b>.");
      CHECK(ran.all<Thinking>().size() == 1);
    }
  for (const char* text : {"<thin", "a <think> in the middle", " \n", "<b>bold</b>"}) {
    FakeLlm server(json{{"default", {{"text", text}, {"pieces", 2}}}}.dump());
    CHECK(run(*quick("llamacpp", server.url()), simple_request()).text == text);
  }
}

TEST_CASE("a stream cut at any byte gives a valid next request") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    for (int at = 0; at < 2'600; at += 23) {
      FakeLlm server(
          R"({"replies":[{"thinking":"Hm.","text":"I read both.","calls":[{"name":"Read","arguments":{"file_path":"a"}},{"name":"Bash","arguments":{"command":"ls"}}],"fault":{"kind":"eof","at":)" +
          std::to_string(at) + "}}]}");
      const auto provider = quick(wire.provider, server.url());
      Request request = simple_request();
      const Ran ran = run(*provider, request);
      REQUIRE(ran.finished);
      continue_with(request, ran.blocks);
      run(*provider, request);
      REQUIRE(server.shape_problems() == std::vector<std::string>{});
    }
  }
}

TEST_CASE("a summary request that shares the prefix keeps tools and messages byte for byte") {
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    const auto provider = quick(wire.provider, "https://h");
    Request request = simple_request();
    const json before = json::parse(provider->body(request));
    request.may_call_tools = false;
    const json after = json::parse(provider->body(request));
    CHECK(before["tools"] == after["tools"]);
  }
}

TEST_CASE("base URLs are taken with and without version and endpoint") {
  FakeLlm server;
  for (const std::string tail : {"", "/", "/v1", "/v1/"}) {
    run(*quick("openai", server.url() + tail), simple_request());
    run(*quick("anthropic", server.url() + tail), simple_request());
  }
  run(*quick("gemini", server.url() + "/v1beta"), simple_request());
  run(*quick("ollama", server.url() + "/v1"), simple_request());
  for (const FakeRequest& request : server.requests())
    CHECK((request.path == "/v1/chat/completions" || request.path == "/v1/messages" ||
           request.path == "/v1beta/models/test-model:streamGenerateContent?alt=sse" ||
           request.path == "/api/chat"));
  CHECK(server.requests().size() == 10);
}

TEST_CASE("gemini gets its signatures back and nobody else's") {
  FakeLlm server(R"({"replies":[{"calls":[{"name":"Read","arguments":{}}],"signature":"R2VtaW5p"}]})");
  const auto provider = quick("gemini", server.url());
  Request request = simple_request();
  request.model = "gemini-3-pro";
  continue_with(request, run(*provider, request).blocks);
  continue_with(request,
                {ToolCall{.id = "other", .name = "Read", .arguments = "{}", .signature = "anthropic:abc"}});
  const json body = json::parse(provider->body(request));
  CHECK(body["contents"][1]["parts"][0]["thoughtSignature"] == "R2VtaW5p");
  CHECK(body["contents"][3]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator");
}
