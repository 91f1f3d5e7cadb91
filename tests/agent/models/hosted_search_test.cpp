// A search of the web by the service: how each wire asks for it, and the sources behind its answer.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/codec.h"
#include "agent/models/hosted_search.h"
#include "agent/models/providers.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

struct SearchWire {
  const char* kind;
  json tool;
  std::vector<const char*> events;
};

const SearchWire search_wires[] = {
    {"anthropic",
     {{"type", "web_search_20250305"}, {"name", "web_search"}, {"max_uses", 3}},
     {R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"https://a.example/1","title":"One","encrypted_content":"e"}]}})",
      R"({"type":"content_block_stop","index":1})",
      R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"It is 7."}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://b.example/二","title":"二","cited_text":"7"}}})",
      R"({"type":"content_block_stop","index":2})",
      R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"input_tokens":20,"server_tool_use":{"web_search_requests":1}}})",
      R"({"type":"message_stop"})"}},
    {"responses",
     {{"type", "web_search"}},
     {R"({"type":"response.output_item.done","item":{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"x"}}})",
      R"({"type":"response.output_text.delta","delta":"It is 7."})",
      R"({"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"It is 7.","annotations":[{"type":"url_citation","url":"https://a.example/1","title":"One"},{"type":"url_citation","url":"https://b.example/二","title":"二"},{"type":"url_citation","url":"https://a.example/1","title":"One"}]}]}})",
      R"({"type":"response.completed","response":{"usage":{"input_tokens":20,"output_tokens":9}}})"}},
    {"gemini",
     {{"google_search", json::object()}},
     {R"({"candidates":[{"content":{"parts":[{"text":"It is 7."}]}}]})",
      R"({"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["x"],"groundingChunks":[{"web":{"uri":"https://a.example/1","title":"One"}},{"web":{"uri":"https://b.example/二","title":"二"}},{"image":{}}]}}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":9}})"}},
};

}  // namespace

TEST_CASE("a search by the service is asked for on three wires, and its sources follow the answer") {
  for (const auto& wire : search_wires) {
    INFO(wire.kind);
    const auto* kind = find_provider(wire.kind);
    const auto codec = kind->codec({.base_url = "https://h", .key = "k", .headers = {}});
    Request request = simple_request();
    request.tools = {hosted_search()};
    FragmentCache cache;
    std::string body;
    codec->body(request, cache, body);
    CHECK(json::parse(body)["tools"] == json::array({wire.tool}));
    std::string text;
    const auto decoder = codec->decoder(request);
    StreamOut out([&](StreamEvent event) {
      if (const auto* done = std::get_if<BlockDone>(&event))
        if (const auto* part = std::get_if<Text>(&done->block)) text += part->text;
    });
    for (const char* event : wire.events) decode_event(*decoder, "", event, out);
    decoder->end(out);
    out.flush();
    CHECK(out.finished() == StopReason::end);
    CHECK_FALSE(out.trouble());
    CHECK(text == "It is 7.\n\nSources:\n- One: https://a.example/1\n- 二: https://b.example/二");
  }
}

TEST_CASE("only the services that search are said to") {
  for (const char* name : {"anthropic", "openai", "responses", "gemini"})
    CHECK_FALSE(searcher_of(name).empty());
  for (const char* name : {"ollama", "llamacpp", "lmstudio", "vllm", "deepseek", "openrouter", "demo"})
    CHECK(searcher_of(name).empty());
}
