// OpenAI responses: stateless (store: false), thoughts go back encrypted.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/codec.h"
#include "agent/models/codec_json.h"
#include "agent/models/found_tools.h"
#include "agent/models/hosted_search.h"
#include "agent/models/openai.h"
#include "agent/models/providers.h"
#include "agent/models/url.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::string_view dialect = "responses";

// ------------------------------------------------------------------ request

std::string data_url(std::string_view media_type, std::string_view blob) {
  std::string url = "data:" + std::string(media_type) + ";base64,";
  append_base64(url, blob);
  return json_quote(url);
}

std::string text_part(std::string_view text, bool assistant) {
  if (is_blank(text)) return {};
  return std::string(assistant ? "{\"type\":\"output_text\",\"text\":"
                               : "{\"type\":\"input_text\",\"text\":") +
         json_quote(text) + "}";
}

std::string part_of(const Block& block, bool assistant) {
  if (const auto* text = std::get_if<Text>(&block)) return text_part(text->text, assistant);
  if (const auto* summary = std::get_if<Summary>(&block)) return text_part(summary->text, assistant);
  if (const auto* image = std::get_if<Image>(&block))
    return "{\"type\":\"input_image\",\"image_url\":" + data_url(image->media_type, image->blob) + "}";
  if (const auto* file = std::get_if<Document>(&block))
    return "{\"type\":\"input_file\",\"filename\":\"document.pdf\",\"file_data\":" +
           data_url(file->media_type, file->blob) + "}";
  return {};
}

std::string search_output(const ToolResult& result, const std::vector<ToolSpec>& found) {
  std::string tools;
  bool first = true;
  for (const ToolSpec& tool : found)
    append_joined(tools, function_tool(tool, ",\"defer_loading\":true"), first);
  return R"({"type":"tool_search_output","call_id":")" + wire_id(result.call_id) +
         R"(","status":"completed","execution":"client","tools":[)" + tools + "]}";
}

std::string search_call(const ToolCall& call) {
  return R"({"type":"tool_search_call","call_id":")" + wire_id(call.id) +
         R"(","status":"completed","execution":"client","arguments":)" + object_text(call.arguments) + "}";
}

std::string own_item(const Block& block, const ToolSearch& search) {
  if (const auto* call = std::get_if<ToolCall>(&block)) {
    if (search.is(call->name)) return search_call(*call);
    return "{\"type\":\"function_call\",\"call_id\":\"" + wire_id(call->id) +
           "\",\"name\":" + json_quote(call->name) +
           ",\"arguments\":" + json_quote(object_text(call->arguments)) + "}";
  }
  if (const auto* result = std::get_if<ToolResult>(&block)) {
    if (search.is(result->tool)) return search_output(*result, search.of(*result).tools);
    return "{\"type\":\"function_call_output\",\"call_id\":\"" + wire_id(result->call_id) +
           "\",\"output\":" + json_quote(result_text(*result)) + "}";
  }
  const auto* thought = std::get_if<Thinking>(&block);
  const auto secret = thought ? own_signature(dialect, thought->signature) : std::string_view();
  if (secret.empty()) return {};
  return "{\"type\":\"reasoning\",\"summary\":[" +
         (is_blank(thought->text)
              ? ""
              : "{\"type\":\"summary_text\",\"text\":" + json_quote(thought->text) + "}") +
         "],\"encrypted_content\":" + json_quote(secret) + "}";
}

// Results first; texts beside each other share a message; a thought only goes with what followed it.
class ItemWriter {
 public:
  ItemWriter(const Item& item, bool thoughts, const ToolSearch& search)
      : search_(search), assistant_(item.role == Role::assistant), thoughts_(thoughts) {
    for (const Block& block : item.blocks)
      if (const auto* result = std::get_if<ToolResult>(&block)) {
        append_joined(out_, own_item(block, search_), first_);
        if (search_.is(result->tool))
          append_joined(parts_, text_part(search_.of(*result).words, false), first_part_);
      }
    for (const Block& block : item.blocks)
      if (!std::holds_alternative<ToolResult>(block)) add(block);
    close_message();
  }
  std::string take() { return std::move(out_); }

 private:
  void add(const Block& block) {
    if (std::holds_alternative<Thinking>(block)) {
      close_message();
      waiting_ = thoughts_ ? own_item(block, search_) : std::string();
      return;
    }
    if (std::holds_alternative<ToolCall>(block)) {
      close_message();
      release();
      return append_joined(out_, own_item(block, search_), first_);
    }
    const std::string part = part_of(block, assistant_);
    if (part.empty()) return;
    if (parts_.empty()) release();
    append_joined(parts_, part, first_part_);
  }

  void release() { append_joined(out_, std::exchange(waiting_, {}), first_); }

  void close_message() {
    if (parts_.empty()) return;
    append_joined(out_,
                  std::string("{\"type\":\"message\",\"role\":\"") + (assistant_ ? "assistant" : "user") +
                      "\",\"content\":[" + std::exchange(parts_, {}) + "]}",
                  first_);
    first_part_ = true;
  }

  const ToolSearch& search_;
  bool assistant_, thoughts_, first_ = true, first_part_ = true;
  std::string out_, parts_, waiting_;
};

// The search is no function here: it is declared as what it is, and needs no other tool to call what it
// finds.
std::string tools_with_search(const Request& request) {
  std::string tools;
  bool first = true;
  for (const ToolSpec& tool : request.tools) {
    if (tool.duty == ToolDuty::search)
      append_joined(tools,
                    R"({"type":"tool_search","execution":"client","description":)" +
                        json_quote(tool.description) + ",\"parameters\":" + tool.schema + "}",
                    first);
    if (!serves_deferred(tool.duty)) append_joined(tools, function_tool(tool), first);
  }
  return "\"tools\":[" + tools + "],";
}

Fragment make_fragment(const Item& item, bool thoughts, const ToolSearch& search) {
  Fragment made;
  made.text = ItemWriter(item, thoughts, search).take();
  return made;
}

// ----------------------------------------------------------------- response

class ResponsesDecoder : public Decoder {
 public:
  explicit ResponsesDecoder(std::string search) : search_(std::move(search)) {}
  void event(std::string_view, std::string_view data, StreamOut& out) override {
    if (fast_.match(data, piece_)) return out.text(piece_);
    if (data == "[DONE]") return;
    const json event = event_object(data);
    if (!event.is_object()) return out.fail(malformed("a broken event"));
    const std::string type = event.value("type", "");
    if (type == "response.output_text.delta" || type == "response.refusal.delta")
      return delta(text_field(event, "delta"), data, out);
    if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta")
      return out.thinking(text_field(event, "delta"));
    if (type == "response.output_item.added") return added(event.value("item", json::object()), out);
    if (type == "response.output_item.done") return done(event.value("item", json::object()), out);
    if (type == "response.completed" || type == "response.incomplete")
      return completed(event.value("response", json::object()), type.ends_with("incomplete"), out);
    if (type == "response.failed") return failed(event.value("response", json::object()), out);
    if (type == "error") return out.fail(request_error_of_event(data));
  }

 private:
  void delta(const std::string& piece, std::string_view data, StreamOut& out) {
    fast_.learn(data, "delta", piece);
    out.text(piece);
  }

  // A search in the service's own form is a call of ours.
  bool is_search(const json& item) const {
    return !search_.empty() && text_field(item, "type") == "tool_search_call";
  }

  void added(const json& item, StreamOut& out) {
    if (is_search(item)) out.emit(CallStarted{text_field(item, "call_id"), search_});
    if (text_field(item, "type") == "function_call")
      out.emit(CallStarted{text_field(item, "call_id"), text_field(item, "name")});
  }

  static std::string joined(const json& item, const char* list, std::initializer_list<const char*> keys) {
    std::string text;
    const auto parts = item.find(list);
    if (parts == item.end() || !parts->is_array()) return text;
    for (const json& part : *parts)
      for (const char* key : keys)
        if (part.is_object()) text += text_field(part, key);
    return text;
  }

  void done(const json& item, StreamOut& out) {
    const std::string type = text_field(item, "type");
    if (type == "message") {
      const std::string text = joined(item, "content", {"text", "refusal"});
      refused_ |= !joined(item, "content", {"refusal"}).empty();
      if (!is_blank(text)) out.emit(BlockDone{Text{text}});
      for (const json& part : item.value("content", json::array()))
        if (part.is_object()) sources_.add_all(part.value("annotations", json()));
    }
    if (type == "reasoning") {
      const std::string secret = text_field(item, "encrypted_content");
      out.emit(
          BlockDone{Thinking{joined(item, "summary", {"text"}), mark_signature(dialect, secret), false}});
    }
    if (is_search(item)) {
      calls_ = true;
      const auto arguments = item.find("arguments");
      const bool object = arguments != item.end() && arguments->is_object();
      out.emit(BlockDone{ToolCall{text_field(item, "call_id"),
                                  search_,
                                  object ? arguments->dump() : text_field(item, "arguments"),
                                  {}}});
    }
    if (type != "function_call") return;
    ToolCall call{.id = text_field(item, "call_id"),
                  .name = text_field(item, "name"),
                  .arguments = text_field(item, "arguments"),
                  .signature = {}};
    if (call.arguments.size() > longest_arguments)
      return out.fail({.kind = Failure::protocol, .message = "the arguments of a call are larger than 8 MB"});
    if (!is_whole_json(call.arguments)) return broken_.push_back(std::move(call));
    calls_ = true;
    out.emit(BlockDone{std::move(call)});
  }

  void completed(const json& response, bool incomplete, StreamOut& out) {
    usage(response.value("usage", json()), out);
    const json details = response.value("incomplete_details", json());
    const std::string why = details.is_object() ? text_field(details, "reason") : "";
    if (incomplete) return out.finish(why == "content_filter" ? StopReason::refusal : StopReason::length);
    sources_.tell(out);
    for (ToolCall& call : broken_) calls_ = true, out.emit(BlockDone{std::move(call)});
    out.finish(calls_ ? StopReason::tools : refused_ ? StopReason::refusal : StopReason::end);
  }

  static void usage(const json& from, StreamOut& out) {
    if (!from.is_object()) return;
    TokenUsage usage;
    if (const auto it = from.find("input_tokens_details"); it != from.end() && it->is_object())
      usage.cache_read = number_field(*it, "cached_tokens");
    if (const auto it = from.find("input_tokens_details"); it != from.end())
      usage.cache_write = number_field(*it, "cache_write_tokens");
    usage.input =
        std::max<Tokens>(number_field(from, "input_tokens") - usage.cache_read - usage.cache_write, 0);
    usage.output = number_field(from, "output_tokens");
    out.emit(UsageReport{usage});
  }

  static void failed(const json& response, StreamOut& out) {
    out.fail(request_error_of_event(
        response.value("error", json::object()).dump(-1, ' ', false, json::error_handler_t::replace)));
  }

  std::string search_;        // our tool that the service's own search stands for; empty: none
  DeltaTemplate fast_{true};  // its events are numbered
  std::string piece_;
  std::vector<ToolCall> broken_;
  HostedSources sources_;
  bool calls_ = false, refused_ = false;
};

class Responses : public Codec {
 public:
  explicit Responses(ProviderConfig config) : config_(std::move(config)) {}

  std::string url(const Request&) const override {
    return endpoint_url(config_.base_url, "/v1", "/responses");
  }

  Headers headers(const Request&) const override { return bearer_headers(config_, "text/event-stream"); }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += "{\"model\":" + json_quote(request.model) +
           ",\"stream\":true,\"store\":false,\"max_output_tokens\":" + std::to_string(request.max_output) +
           ",";
    const bool reasons = openai_reasons(request.model);
    if (reasons) out += "\"include\":[\"reasoning.encrypted_content\"],";
    if (reasons && request.thinking > 0)
      out += "\"reasoning\":{\"effort\":\"" + std::string(effort_of(request.thinking)) +
             "\",\"summary\":\"auto\"},";
    if (!request.json_schema.empty())
      out +=
          "\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"answer\",\"strict\":false,\"schema\":" +
          request.json_schema + "}},";
    const ToolSearch search = tool_search(request, searches(request));
    if (asks_the_web(request))
      out += R"("tools":[{"type":"web_search"}],)";
    else
      out += search.on() ? tools_with_search(request) : function_tools(request, false);
    if (!request.tools.empty() && !request.may_call_tools) out += "\"tool_choice\":\"none\",";
    if (!is_blank(request.system)) out += "\"instructions\":" + json_quote(request.system) + ",";
    out += "\"input\":[";
    bool first = true;
    cache.form(form(search.on() ? "responses search" : "responses"));
    const auto fragment = [&](const Item& item) { return make_fragment(item, allowed_.of(item), search); };
    for (const ItemPtr& item : request.conversation.items)
      append_joined(out, cache.get(item, fragment).text, first);
    out += "]}";
  }

  std::unique_ptr<Decoder> decoder(const Request& request) const override {
    return std::make_unique<ResponsesDecoder>(tool_search(request, searches(request)).name);
  }

  bool searches(const Request& request) const override {
    return searches_itself(request, config_, "api.openai.com", openai_searches(request.model));
  }

 private:
  ProviderConfig config_;
};

}  // namespace

std::unique_ptr<Codec> responses_codec(const ProviderConfig& config) {
  return std::make_unique<Responses>(config);
}

namespace providers {
extern const ProviderKind responses;
const ProviderKind responses{
    .name = "responses",
    .title = "OpenAI responses",
    .base_url = "https://api.openai.com",
    .default_model = "gpt-6.1-sol",
    .key_variables = "OPENAI_API_KEY",
    .url_variable = "OPENAI_BASE_URL",
    .model_variable = "OPENAI_MODEL",
    .codec = responses_codec,
};
}  // namespace providers

}  // namespace tern
