#include "tests/support/fake_wire.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tern::test {
namespace {

using nlohmann::json;

struct Call {
  std::string id, name, arguments;  // arguments as text: a scenario may send broken ones
  json object;
};

struct Reply {
  std::string text, thinking, signature, stop;
  std::vector<Call> calls;
  std::size_t piece = 12;
  FakeUsage usage;
  int serial = 0;
};

Reply read(const json& from, const FakeUsage& usage, int serial) {
  Reply reply{from.value("text", ""),
              from.value("thinking", ""),
              from.value("signature", "sig-" + std::to_string(serial)),
              from.value("stop", ""),
              {},
              from.value("pieces", std::size_t(12)),
              usage,
              serial};
  int n = 0;
  for (const json& call : from.value("calls", json::array())) {
    const json object = call.value("arguments", json::object());
    reply.calls.push_back({call.value("id", "toolu_" + std::to_string(serial) + "_" + std::to_string(n++)),
                           call.value("name", ""),
                           call.contains("raw") ? call["raw"].get<std::string>() : object.dump(), object});
  }
  if (reply.stop.empty()) reply.stop = reply.calls.empty() ? "end" : "tools";
  return reply;
}

// Pieces on character borders.
std::vector<std::string> pieces(const std::string& text, std::size_t size) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(at + std::max<std::size_t>(size, 1), text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string named(const std::string& name, const json& data) {
  return "event: " + name + "\ndata: " + data.dump() + "\n\n";
}
std::string plain(const json& data) { return "data: " + data.dump() + "\n\n"; }

// ---------------------------------------------------------------- Anthropic

using nlohmann::ordered_json;

void anthropic_block(std::vector<std::string>& out, int index, const json& start,
                     const std::vector<ordered_json>& deltas) {
  out.push_back(named("content_block_start",
                      {{"type", "content_block_start"}, {"index", index}, {"content_block", start}}));
  for (const ordered_json& delta : deltas)
    out.push_back("event: content_block_delta\ndata: " +
                  ordered_json{{"type", "content_block_delta"}, {"index", index}, {"delta", delta}}.dump() +
                  "\n\n");
  out.push_back(named("content_block_stop", {{"type", "content_block_stop"}, {"index", index}}));
}

std::vector<ordered_json> deltas_of(const Reply& reply, const std::string& text, const char* type,
                                    const char* key) {
  std::vector<ordered_json> out;
  for (const std::string& piece : pieces(text, reply.piece)) out.push_back({{"type", type}, {key, piece}});
  return out;
}

std::vector<std::string> anthropic(const Reply& reply) {
  std::vector<std::string> out;
  const FakeUsage& u = reply.usage;
  const json usage{{"input_tokens", u.input},
                   {"cache_read_input_tokens", u.cache_read},
                   {"cache_creation_input_tokens", u.cache_write},
                   {"cache_creation",
                    {{"ephemeral_5m_input_tokens", u.cache_write - u.long_write},
                     {"ephemeral_1h_input_tokens", u.long_write}}},
                   {"output_tokens", 1}};
  out.push_back(named("message_start", {{"type", "message_start"},
                                        {"message",
                                         {{"id", "msg_" + std::to_string(reply.serial)},
                                          {"type", "message"},
                                          {"role", "assistant"},
                                          {"content", json::array()},
                                          {"stop_reason", nullptr},
                                          {"usage", usage}}}}));
  out.push_back(named("ping", {{"type", "ping"}}));
  int index = 0;
  if (!reply.thinking.empty()) {
    auto deltas = deltas_of(reply, reply.thinking, "thinking_delta", "thinking");
    deltas.push_back({{"type", "signature_delta"}, {"signature", reply.signature}});
    anthropic_block(out, index++, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, deltas);
  }
  if (!reply.text.empty())
    anthropic_block(out, index++, {{"type", "text"}, {"text", ""}},
                    deltas_of(reply, reply.text, "text_delta", "text"));
  for (const Call& call : reply.calls)
    anthropic_block(out, index++,
                    {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", json::object()}},
                    deltas_of(reply, call.arguments, "input_json_delta", "partial_json"));
  const std::string stop = reply.stop == "tools"     ? "tool_use"
                           : reply.stop == "length"  ? "max_tokens"
                           : reply.stop == "refusal" ? "refusal"
                                                     : "end_turn";
  out.push_back(named("message_delta", {{"type", "message_delta"},
                                        {"delta", {{"stop_reason", stop}, {"stop_sequence", nullptr}}},
                                        {"usage", {{"output_tokens", u.output}}}}));
  out.push_back(named("message_stop", {{"type", "message_stop"}}));
  return out;
}

// --------------------------------------------------------------- OpenAI chat

std::string chat_chunk(const Reply& reply, const json& delta, const json& finish = nullptr) {
  const ordered_json chunk{
      {"id", "chatcmpl-" + std::to_string(reply.serial)},
      {"object", "chat.completion.chunk"},
      {"created", 1},
      {"model", "fake"},
      {"choices", json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}};
  return "data: " + chunk.dump() + "\n\n";
}

std::vector<std::string> chat(const Reply& reply) {
  std::vector<std::string> out{chat_chunk(reply, {{"role", "assistant"}, {"content", ""}})};
  for (const auto& piece : pieces(reply.thinking, reply.piece))
    out.push_back(chat_chunk(reply, {{"reasoning_content", piece}}));
  for (const auto& piece : pieces(reply.text, reply.piece))
    out.push_back(chat_chunk(reply, {{"content", piece}}));
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    const Call& call = reply.calls[i];
    out.push_back(chat_chunk(
        reply, {{"tool_calls", json::array({{{"index", i},
                                             {"id", call.id},
                                             {"type", "function"},
                                             {"function", {{"name", call.name}, {"arguments", ""}}}}})}}));
    for (const auto& piece : pieces(call.arguments, reply.piece))
      out.push_back(chat_chunk(
          reply, {{"tool_calls", json::array({{{"index", i}, {"function", {{"arguments", piece}}}}})}}));
  }
  const std::string stop = reply.stop == "tools"     ? "tool_calls"
                           : reply.stop == "length"  ? "length"
                           : reply.stop == "refusal" ? "content_filter"
                                                     : "stop";
  out.push_back(chat_chunk(reply, json::object(), stop));
  const FakeUsage& u = reply.usage;
  out.push_back(plain({{"id", "chatcmpl-" + std::to_string(reply.serial)},
                       {"object", "chat.completion.chunk"},
                       {"choices", json::array()},
                       {"usage",
                        {{"prompt_tokens", u.input + u.cache_read},
                         {"completion_tokens", u.output},
                         {"total_tokens", u.input + u.cache_read + u.output},
                         {"prompt_tokens_details", {{"cached_tokens", u.cache_read}}}}}}));
  out.push_back("data: [DONE]\n\n");
  return out;
}

// ---------------------------------------------------------- OpenAI responses

class Responses {
 public:
  Responses(const Reply& reply, const std::string& search) : reply_(reply), search_(search) {}

  std::vector<std::string> stream() {
    event("response.created",
          {{"response", {{"id", "resp_" + std::to_string(reply_.serial)}, {"status", "in_progress"}}}});
    if (!reply_.thinking.empty()) reasoning();
    if (!reply_.text.empty()) message();
    for (const Call& call : reply_.calls) call.name == search_ ? search_call(call) : function_call(call);
    json response{{"id", "resp_" + std::to_string(reply_.serial)},
                  {"status", reply_.stop == "length" ? "incomplete" : "completed"},
                  {"usage", usage()}};
    if (reply_.stop == "length") response["incomplete_details"] = {{"reason", "max_output_tokens"}};
    event(reply_.stop == "length" ? "response.incomplete" : "response.completed", {{"response", response}});
    return std::move(out_);
  }

 private:
  void event(const std::string& name, json data) {
    data["type"] = name, data["sequence_number"] = out_.size();
    out_.push_back(named(name, data));
  }

  void item(json whole, json begun, const char* delta_event, const std::string& text) {
    event("response.output_item.added", {{"output_index", index_}, {"item", std::move(begun)}});
    for (const auto& piece : pieces(text, reply_.piece))
      event(delta_event, {{"output_index", index_}, {"item_id", whole["id"]}, {"delta", piece}});
    event("response.output_item.done", {{"output_index", index_}, {"item", std::move(whole)}});
    ++index_;
  }

  void reasoning() {
    const std::string id = "rs_" + std::to_string(reply_.serial);
    item({{"type", "reasoning"},
          {"id", id},
          {"summary", json::array({{{"type", "summary_text"}, {"text", reply_.thinking}}})},
          {"encrypted_content", reply_.signature}},
         {{"type", "reasoning"}, {"id", id}, {"summary", json::array()}},
         "response.reasoning_summary_text.delta", reply_.thinking);
  }

  void message() {
    const std::string id = "msg_" + std::to_string(reply_.serial);
    item({{"type", "message"},
          {"id", id},
          {"role", "assistant"},
          {"content", json::array({{{"type", "output_text"}, {"text", reply_.text}}})}},
         {{"type", "message"}, {"id", id}, {"role", "assistant"}, {"content", json::array()}},
         "response.output_text.delta", reply_.text);
  }

  void function_call(const Call& call) {
    json whole{{"type", "function_call"},
               {"id", "fc_" + call.id},
               {"call_id", call.id},
               {"name", call.name},
               {"arguments", call.arguments}};
    json begun = whole;
    begun["arguments"] = "";
    item(whole, begun, "response.function_call_arguments.delta", call.arguments);
  }

  void search_call(const Call& call) {
    json whole{{"type", "tool_search_call"}, {"id", "tsc_" + call.id}, {"call_id", call.id},
               {"execution", "client"},      {"status", "completed"},  {"arguments", call.object}};
    json begun = whole;
    begun["arguments"] = json::object();
    item(whole, begun, "response.tool_search_call.delta", "");
  }

  json usage() const {
    const FakeUsage& u = reply_.usage;
    return {{"input_tokens", u.input + u.cache_read},
            {"input_tokens_details", {{"cached_tokens", u.cache_read}}},
            {"output_tokens", u.output},
            {"total_tokens", u.input + u.cache_read + u.output}};
  }

  const Reply& reply_;
  const std::string& search_;
  std::vector<std::string> out_;
  int index_ = 0;
};

// ------------------------------------------------------------ Gemini, Ollama

std::vector<std::string> gemini(const Reply& reply) {
  std::vector<std::string> out;
  const auto chunk = [&](json parts, json finish = nullptr, bool last = false) {
    json candidate{{"content", {{"role", "model"}, {"parts", std::move(parts)}}}, {"index", 0}};
    if (!finish.is_null()) candidate["finishReason"] = finish;
    json data{{"candidates", json::array({candidate})}, {"responseId", "r" + std::to_string(reply.serial)}};
    if (last)
      data["usageMetadata"] = {{"promptTokenCount", reply.usage.input + reply.usage.cache_read},
                               {"cachedContentTokenCount", reply.usage.cache_read},
                               {"candidatesTokenCount", reply.usage.output}};
    out.push_back(plain(data));
  };
  for (const auto& piece : pieces(reply.thinking, reply.piece))
    chunk(json::array({{{"text", piece}, {"thought", true}}}));
  for (const auto& piece : pieces(reply.text, reply.piece)) chunk(json::array({{{"text", piece}}}));
  bool first = true;
  for (const Call& call : reply.calls) {
    json part{{"functionCall", {{"name", call.name}, {"args", call.object}}}};
    if (first) part["thoughtSignature"] = reply.signature;
    first = false;
    chunk(json::array({part}));
  }
  chunk(json::array({{{"text", ""}}}),
        reply.stop == "length"    ? "MAX_TOKENS"
        : reply.stop == "refusal" ? "SAFETY"
                                  : "STOP",
        true);
  return out;
}

std::vector<std::string> ollama(const Reply& reply) {
  std::vector<std::string> out;
  const auto line = [&](json message) {
    out.push_back(json{{"model", "fake"}, {"message", std::move(message)}, {"done", false}}.dump() + "\n");
  };
  for (const auto& piece : pieces(reply.thinking, reply.piece))
    line({{"role", "assistant"}, {"content", ""}, {"thinking", piece}});
  for (const auto& piece : pieces(reply.text, reply.piece)) line({{"role", "assistant"}, {"content", piece}});
  for (const Call& call : reply.calls)
    line({{"role", "assistant"},
          {"content", ""},
          {"tool_calls", json::array({{{"function", {{"name", call.name}, {"arguments", call.object}}}}})}});
  out.push_back(json{{"model", "fake"},
                     {"message", {{"role", "assistant"}, {"content", ""}}},
                     {"done", true},
                     {"done_reason", reply.stop == "length" ? "length" : "stop"},
                     {"prompt_eval_count", reply.usage.input + reply.usage.cache_read},
                     {"eval_count", reply.usage.output}}
                    .dump() +
                "\n");
  return out;
}

std::string error_type(std::string_view api, int status) {
  if (api == "gemini")
    return status == 429   ? "RESOURCE_EXHAUSTED"
           : status == 503 ? "UNAVAILABLE"
           : status == 401 ? "UNAUTHENTICATED"
           : status == 400 ? "INVALID_ARGUMENT"
                           : "INTERNAL";
  if (api == "anthropic") switch (status) {
      case 400: return "invalid_request_error";
      case 401: return "authentication_error";
      case 403: return "permission_error";
      case 404: return "not_found_error";
      case 413: return "request_too_large";
      case 429: return "rate_limit_error";
      case 529: return "overloaded_error";
      default: return "api_error";
    }
  return status == 429   ? "rate_limit_exceeded"
         : status == 401 ? "invalid_api_key"
         : status >= 500 ? "server_error"
                         : "invalid_request_error";
}

}  // namespace

std::vector<std::string> fake_stream(std::string_view api, const json& reply, const FakeUsage& usage,
                                     int serial, const std::string& search) {
  const Reply plan = read(reply, usage, serial);
  if (api == "anthropic") return anthropic(plan);
  if (api == "chat") return chat(plan);
  if (api == "responses") return Responses(plan, search).stream();
  return api == "gemini" ? gemini(plan) : ollama(plan);
}

std::string fake_error(std::string_view api, int status, std::string_view message) {
  const std::string type = error_type(api, status);
  if (api == "anthropic")
    return json{
        {"type", "error"}, {"error", {{"type", type}, {"message", message}}}, {"request_id", "req_fake"}}
        .dump();
  if (api == "gemini")
    return json{{"error", {{"code", status}, {"message", message}, {"status", type}}}}.dump();
  if (api == "ollama") return json{{"error", message}}.dump();
  return json{{"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", type}}}}.dump();
}

FakeRefusal fake_overflow(std::string_view api, std::int64_t limit, std::int64_t asked) {
  const std::string l = std::to_string(limit), a = std::to_string(asked);
  if (api == "anthropic")
    return {400, fake_error(api, 400, "prompt is too long: " + a + " tokens > " + l + " maximum")};
  if (api == "gemini")
    return {400, fake_error(api, 400,
                            "The input token count (" + a +
                                ") exceeds the maximum number of tokens allowed (" + l + ").")};
  if (api == "ollama")
    return {400, json{{"error", "prompt too long; exceeded max context length by " +
                                    std::to_string(asked - limit) + " tokens"}}
                     .dump()};
  const std::string runner = json{
      {"error",
       {{"code", 400},
        {"message", "request (" + a + " tokens) exceeds the available context size (" + l +
                        " tokens), try increasing it"},
        {"type", "exceed_context_size_error"},
        {"n_prompt_tokens", asked},
        {"n_ctx", limit}}}}.dump();
  if (api == "ollama_runner") return {400, json{{"error", runner}}.dump()};
  if (api == "too_large")
    return {413, "<html><head><title>413 Request Entity Too Large</title></head></html>"};
  if (api == "vllm")
    return {400, json{{"object", "error"},
                      {"message", "This model's maximum context length is " + l +
                                      " tokens. However, you requested " + a +
                                      " tokens in the messages, Please reduce the length of the messages."},
                      {"type", "BadRequestError"},
                      {"param", nullptr},
                      {"code", 400}}
                     .dump()};
  if (api == "openrouter")
    return {400, json{{"error",
                       {{"message", "Provider returned error"},
                        {"code", 400},
                        {"metadata",
                         {{"raw", "This endpoint's maximum context length is " + l +
                                      " tokens. However, you requested about " + a + " tokens."}}}}}}
                     .dump()};
  if (api == "llamacpp")
    return {400, json{{"error",
                       {{"code", 400},
                        {"message", "the request exceeds the available context size, try increasing it"},
                        {"type", "exceed_context_size_error"},
                        {"n_prompt_tokens", asked},
                        {"n_ctx", limit}}}}
                     .dump()};
  if (api == "responses")
    return {200,
            named("response.failed", {{"type", "response.failed"},
                                      {"sequence_number", 0},
                                      {"response",
                                       {{"id", "resp_fake"},
                                        {"status", "failed"},
                                        {"error",
                                         {{"code", "context_length_exceeded"},
                                          {"message",
                                           "Your input exceeds the context window of this model. Please "
                                           "adjust your input and try again."}}}}}}),
            true};
  return {400, json{{"error",
                     {{"message", "This model's maximum context length is " + l +
                                      " tokens. However, your messages resulted in " + a +
                                      " tokens. Please reduce the length of the messages."},
                      {"type", "invalid_request_error"},
                      {"param", "messages"},
                      {"code", "context_length_exceeded"}}}}
                   .dump()};
}

std::string fake_error_event(std::string_view api, std::string_view type, std::string_view message) {
  const json error{{"type", type}, {"code", type}, {"message", message}};
  if (api == "anthropic")
    return named("error", {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}});
  if (api == "responses")
    return named("response.failed",
                 {{"type", "response.failed"},
                  {"response", {{"status", "failed"}, {"error", {{"code", type}, {"message", message}}}}}});
  if (api == "gemini") return plain({{"error", {{"code", 503}, {"message", message}, {"status", type}}}});
  return api == "ollama" ? json{{"error", message}}.dump() + "\n" : plain({{"error", error}});
}

std::string fake_broken_event(std::string_view api) {
  if (api == "ollama") return "{\"message\": {\"content\": \"bro\n";
  const std::string name = api == "anthropic"   ? "event: content_block_delta\n"
                           : api == "responses" ? "event: response.output_text.delta\n"
                                                : "";
  return name + "data: {\"type\": \"content_block_delta\", \"del\n\n";
}

}  // namespace tern::test
