#include "agent/models/codec.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/models/json_schema.h"
#include "agent/models/providers.h"

using namespace tern;

namespace {

std::optional<std::string> matched(const DeltaTemplate& shape, std::string_view data) {
  std::string text;
  return shape.match(data, text) ? std::optional(text) : std::nullopt;
}

}  // namespace

TEST_CASE("a delta like the last one gives its text without a parse") {
  DeltaTemplate shape;
  shape.learn(R"({"i":0,"text":"Hi","n":1})", "text", "Hi");
  CHECK(matched(shape, R"({"i":0,"text":"there","n":1})") == "there");
  CHECK(matched(shape, R"({"i":0,"text":"","n":1})") == "");
  CHECK(matched(shape, R"({"i":0,"text":"a\"b\\\u00e9\n","n":1})") == "a\"b\\é\n");
  CHECK(matched(shape, R"({"i":0,"text":"中文","n":1})") == "中文");
}

TEST_CASE("anything else is left to the parser") {
  DeltaTemplate shape;
  CHECK(!matched(shape, R"({"text":"x"})"));
  shape.learn(R"({"i":0,"text":"Hi","n":1})", "text", "Hi");
  for (const char* other :
       {R"({"i":1,"text":"x","n":1})", R"({"i":0,"text":"x","n":2})", R"({"i":0,"text":"x","m":"y","n":1})",
        R"({"i":0,"text":"x","text":"y","n":1})", R"({"i":0,"text":"x)",
        R"({"i":0,"text":"bad \q escape","n":1})", "{\"i\":0,\"text\":\"raw\nbreak\",\"n\":1}",
        "{\"i\":0,\"text\":\"\xff\",\"n\":1}", R"({"i":0,"text":"cut\","n":1})", ""}) {
    INFO(other);
    CHECK(!matched(shape, other));
  }
  shape.learn(R"({"text":"a","inner":{"text":"b"}})", "text", "a");  // where it stands is in doubt
  CHECK(!matched(shape, R"({"text":"x","inner":{"text":"b"}})"));
}

TEST_CASE("counters may run on where no digit matters") {
  DeltaTemplate shape(true);
  shape.learn(R"({"seq":9,"delta":"Hi","at":"12:59"})", "delta", "Hi");
  CHECK(matched(shape, R"({"seq":10,"delta":"42 x","at":"13:00"})") == "42 x");
  CHECK(!matched(shape, R"({"seq":10,"gamma":"42","at":"13:00"})"));
  CHECK(!matched(shape, R"({"seq":10,"delta":"42","at":"13:00","more":1})"));
  CHECK(!matched(shape, R"({"seq":-1,"delta":"42","at":"13:00"})"));
}

TEST_CASE("thoughts are held until something counts; a held message gives nothing before its end") {
  std::vector<std::string> seen;
  const Sink sink = [&](StreamEvent event) {
    if (std::holds_alternative<BlockDone>(event)) seen.push_back("block");
    if (std::holds_alternative<TextDelta>(event)) seen.push_back("text");
  };
  StreamOut out(sink);
  out.emit(BlockDone{Thinking{.text = "hm", .signature = {}}});
  CHECK(out.given().empty());
  out.text("a"), out.text("b"), out.flush();
  out.emit(BlockDone{Text{"ab"}});
  CHECK(out.given().size() == 2);
  CHECK(seen == std::vector<std::string>{"text", "block", "block"});
  StreamOut held(sink, true);
  held.emit(BlockDone{Text{"x"}});
  CHECK(held.given().empty());
  held.finish(StopReason::end);
  CHECK(held.given().size() == 1);
}

TEST_CASE("a signature goes back only where it came from") {
  const std::string marked = mark_signature("gemini", "abc");
  CHECK(own_signature("gemini", marked) == "abc");
  CHECK(own_signature("anthropic", marked).empty());
  CHECK(own_signature("gem", marked).empty());
  CHECK(mark_signature("gemini", "").empty());
}

TEST_CASE("a field of the wrong type ends the stream, not the program") {
  const std::pair<const char*, const char*> rows[] = {
      {"anthropic", R"({"type":7})"},
      {"anthropic", R"({"type":"content_block_delta","index":"x","delta":{"type":"text_delta","text":1}})"},
      {"openai", R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":"x"},7]}}]})"},
      {"responses", R"({"type":"response.output_item.done","item":7})"},
      {"gemini", R"({"candidates":[{"content":{"parts":[{"text":"x","thought":1}]}}]})"},
      {"ollama", R"({"done":1})"}};
  for (const auto& [name, data] : rows) {
    INFO(name << " " << data);
    const auto codec = find_provider(name)->codec({.base_url = "https://h", .key = "", .headers = {}});
    const Request request;
    StreamOut out([](StreamEvent) {});
    CHECK_NOTHROW(decode_event(*codec->decoder(request), "", data, out));
  }
}

TEST_CASE("what is nested without a bottom ends the answer, not the program, and goes to no service") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::pair<const char*, std::string> rows[] = {
      {"anthropic",
       R"({"type":"content_block_start","content_block":{"type":"tool_use","name":"Read","input":)" + deep +
           "}}"},
      {"vllm",
       R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"Read","arguments":)" + deep + "}}]}}]}"},
      {"responses", R"({"type":"response.output_item.done","item":)" + deep + "}"},
      {"gemini", R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"Read","args":{"a":)" + deep +
                     "}}}]}}]}"},
      {"ollama",
       R"({"message":{"tool_calls":[{"function":{"name":"Read","arguments":{"a":)" + deep + "}}}]}}"}};
  for (const auto& [name, data] : rows) {
    INFO(name);
    const auto codec = find_provider(name)->codec({.base_url = "https://h", .key = "", .headers = {}});
    const Request request;
    StreamOut out([](StreamEvent) {});
    decode_event(*codec->decoder(request), "", data, out);
    REQUIRE(out.trouble());
    CHECK(out.trouble()->kind == Failure::protocol);
  }
  CHECK(object_text(R"({"a":)" + deep + "}").starts_with(R"({"unparsed":")"));
  const auto refused =
      request_error_of({.status = 429, .body = R"({"error":{"details":[{"a":)" + deep + "}]}}"});
  CHECK(refused.kind == Failure::rate);
  CHECK_FALSE(json_of_answer(deep));
}

TEST_CASE("a count beyond all sense counts as nothing") {
  const std::string many = "8" + std::string(80, '8');
  const std::pair<const char*, std::string> rows[] = {
      {"anthropic", R"({"type":"message_start","message":{"usage":{"input_tokens":)" + many +
                        R"(,"output_tokens":-)" + many + "}}}"},
      {"vllm", R"({"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":)" + many + "}}"},
      {"responses", R"({"type":"response.completed","response":{"usage":{"input_tokens":)" + many + "}}}"},
      {"gemini", R"({"usageMetadata":{"promptTokenCount":)" + many + "}}"},
      {"ollama", R"({"done":true,"prompt_eval_count":)" + many + R"(,"eval_count":)" + many + "}"}};
  for (const auto& [name, data] : rows) {
    INFO(name);
    const auto codec = find_provider(name)->codec({.base_url = "https://h", .key = "", .headers = {}});
    const Request request;
    TokenUsage usage{1, 1, 1, 1};
    StreamOut out([&](const StreamEvent& event) {
      if (const auto* report = std::get_if<UsageReport>(&event)) usage = report->usage;
    });
    const auto decoder = codec->decoder(request);
    decode_event(*decoder, "", data, out);
    decoder->end(out);
    CHECK((usage.total_input() >= 0 && usage.total_input() <= 3));
    CHECK((usage.output >= 0 && usage.output <= 1));
  }
}
