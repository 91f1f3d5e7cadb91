#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/openai.h"
#include "agent/models/providers.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

std::unique_ptr<Codec> codec_of(const char* provider, const char* url) {
  return find_provider(provider)->codec({.base_url = url, .key = "k", .headers = {}});
}

json body_of(const char* provider, const Request& request, const char* url) {
  return json::parse(make_provider(provider, {.base_url = url, .key = "k", .headers = {}})->body(request));
}

constexpr auto service = "https://api.openai.com";

}  // namespace

TEST_CASE(
    "the service's newer models are asked by responses, older ones and other servers by chat completions") {
  const auto codec = codec_of("openai", service), elsewhere = codec_of("openai", "https://gateway.example");
  Request request = simple_request();
  const auto path = [&](const Codec& by, const char* model) {
    return request.model = model, by.url(request);
  };
  for (const char* model : {"gpt-5.4", "gpt-5.4-mini", "gpt-5.6-luna", "gpt-6-astra", "gpt-6.1-sol",
                            "gpt-5-pro", "o3-pro-2025-06-10", "gpt-5.1-codex", "codex-mini-latest", "gpt-7"})
    CHECK(path(*codec, model) == "https://api.openai.com/v1/responses");
  for (const char* model :
       {"gpt-5", "gpt-5-mini", "gpt-5.3", "gpt-4.1", "gpt-4o-mini", "o3", "o4-mini", "some-fine-tune"})
    CHECK(path(*codec, model) == "https://api.openai.com/v1/chat/completions");
  CHECK(path(*elsewhere, "gpt-6.1-sol") == "https://gateway.example/v1/chat/completions");
}

TEST_CASE("one provider speaks both dialects, whatever model came before") {
  const auto provider = make_provider("openai", {.base_url = service, .key = "k", .headers = {}});
  Request request = simple_request();
  continue_with(request, {ToolCall{.id = "c1", .name = "Read", .arguments = "{}", .signature = {}}});
  for (const char* model : {"gpt-4.1", "gpt-6.1-sol", "gpt-4.1"}) {
    request.model = model;
    const std::string body = provider->body(request);
    CHECK(shape_problems(json::parse(body).contains("input") ? "responses" : "chat", body) ==
          std::vector<std::string>{});
    CHECK(json::parse(body).contains("input") == (model == std::string("gpt-6.1-sol")));
  }
}

TEST_CASE("only models that think are told how long, and asked for their thoughts") {
  Request request = simple_request();
  request.thinking = 8'000;
  request.model = "gpt-4.1";
  CHECK_FALSE(body_of("openai", request, service).contains("reasoning_effort"));
  CHECK_FALSE(body_of("responses", request, service).contains("reasoning"));
  CHECK_FALSE(body_of("responses", request, service).contains("include"));
  request.model = "gpt-5";
  CHECK(body_of("openai", request, service).contains("reasoning_effort"));
  request.model = "gpt-6.1-sol";
  CHECK(body_of("openai", request, service)["reasoning"]["summary"] == "auto");
  CHECK(body_of("openai", request, service)["include"][0] == "reasoning.encrypted_content");
  request.model = "gpt-5-chat-latest";
  CHECK_FALSE(body_of("openai", request, service).contains("reasoning_effort"));
}

TEST_CASE("a thought the service cannot read any more is left out") {
  FakeLlm server(
      R"({"replies":[{"fault":{"kind":"status","status":400,"body":"{\"error\":{\"code\":\"invalid_encrypted_content\",\"message\":\"The encrypted content could not be verified.\"}}"}}]})");
  const auto provider = make_provider("responses", {.base_url = server.url(), .key = "k", .headers = {}});
  Request request = simple_request();
  continue_with(request, {Thinking{"hm", "responses:secret"},
                          ToolCall{.id = "c1", .name = "Read", .arguments = "{}", .signature = {}}});
  CHECK(run(*provider, request).text == "ok");
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[0].body.find("secret") != std::string::npos);
  CHECK(server.requests()[1].body.find("secret") == std::string::npos);
}

TEST_CASE("DeepSeek gets the thoughts of every answer back, and an empty one where there was none") {
  FakeLlm server(
      R"({"replies":[{"thinking":"let me see","calls":[{"name":"Read","arguments":{}}]},{"text":"fine"}]})");
  const auto provider = make_provider("deepseek", {.base_url = server.url(), .key = "k", .headers = {}});
  Request request = simple_request();
  continue_with(request, run(*provider, request).blocks);
  continue_with(request, run(*provider, request).blocks);
  const json messages = json::parse(provider->body(request))["messages"];
  CHECK(messages[2]["reasoning_content"] == "let me see");
  CHECK(messages[4]["role"] == "assistant");
  CHECK(messages[4]["reasoning_content"] == "");
}

TEST_CASE("a broker's reasoning goes back as the vendor signed it") {
  Request request = simple_request();
  request.model = "anthropic/claude-sonnet-5.5";
  request.thinking = 4'000;
  const auto codec = codec_of("openrouter", "https://openrouter.ai/api/v1");
  const auto decoder = codec->decoder(request);
  std::vector<Block> blocks;
  StreamOut out([&](StreamEvent event) {
    if (auto* done = std::get_if<BlockDone>(&event)) blocks.push_back(done->block);
  });
  for (
      const char* delta :
      {R"({"reasoning":"Let ","reasoning_details":[{"type":"reasoning.text","text":"Let ","index":0,"format":"anthropic-claude-v1"}]})",
       R"({"reasoning":"me.","reasoning_details":[{"type":"reasoning.text","text":"me.","index":0}]})",
       R"({"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}]})",
       R"({"content":"Done."})"})
    decoder->event("", std::string(R"({"choices":[{"delta":)") + delta + "}]}", out);
  decoder->event("", R"({"choices":[{"delta":{},"finish_reason":"stop"}]})", out);
  decoder->event("", "[DONE]", out);
  REQUIRE(blocks.size() == 2);
  CHECK(std::get<Thinking>(blocks[0]).text == "Let me.");
  continue_with(request, blocks);
  const json body = body_of("openrouter", request, "https://openrouter.ai/api/v1");
  const json details = body["messages"][2]["reasoning_details"];
  REQUIRE(details.size() == 1);
  CHECK(details[0]["text"] == "Let me.");
  CHECK(details[0]["signature"] == "sig");
  CHECK(body["reasoning"]["max_tokens"] == 4'000);
  CHECK(body["cache_control"]["type"] == "ephemeral");
  request.model = "qwen/qwen3-coder", request.thinking = 0;
  CHECK_FALSE(body_of("openrouter", request, "https://openrouter.ai/api/v1").contains("cache_control"));
}

TEST_CASE("Gemini's families are told how long to think in their own words") {
  Request request = simple_request();
  const auto config = [&](const char* model, int thinking) {
    request.model = model, request.thinking = thinking;
    return body_of("gemini", request, "https://g")["generationConfig"].value("thinkingConfig", json());
  };
  CHECK(config("gemini-2.5-pro", 100'000)["thinkingBudget"] == 32'768);
  CHECK(config("gemini-2.5-flash-lite", 10)["thinkingBudget"] == 512);
  CHECK(config("gemini-3.8-flash", 2'000)["thinkingLevel"].is_string());
  CHECK_FALSE(config("gemini-3.8-flash", 2'000).contains("thinkingBudget"));
  CHECK(config("gemini-3-pro-preview", 8'000)["thinkingLevel"] != "medium");
  CHECK(config("gemini-2.0-flash", 8'000).is_null());
  CHECK(config("gemini-2.5-pro", 0).is_null());
}

TEST_CASE("the name Gemini gave a call goes back with the call and its result") {
  Request request = simple_request();
  request.model = "gemini-4-argon";
  const auto codec = codec_of("gemini", "https://g");
  const auto decoder = codec->decoder(request);
  std::vector<Block> blocks;
  StreamOut out([&](StreamEvent event) {
    if (auto* done = std::get_if<BlockDone>(&event)) blocks.push_back(done->block);
  });
  decoder->event(
      "",
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"id":"fc-7","name":"Read","args":{}}}]}}]})",
      out);
  decoder->event("", R"({"candidates":[{"finishReason":"STOP"}]})", out);
  decoder->end(out);
  continue_with(request, blocks);
  const json contents = body_of("gemini", request, "https://g")["contents"];
  CHECK(contents[1]["parts"][0]["functionCall"]["id"] == "fc-7");
  CHECK(contents[1]["parts"][0].contains("thoughtSignature"));
  CHECK(contents[2]["parts"][0]["functionResponse"]["id"] == "fc-7");
}
