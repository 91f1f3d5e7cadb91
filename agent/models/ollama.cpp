// Ollama's own chat: the one road on which the context size can be set (num_ctx) and silent cutting be
// forbidden.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/codec_json.h"
#include "agent/models/openai.h"
#include "agent/models/providers.h"
#include "agent/models/silent_cut.h"
#include "agent/models/text_calls.h"
#include "agent/models/url.h"

namespace tern {
namespace {

using nlohmann::json;

// ------------------------------------------------------------------ request

std::string call_text(const ToolCall& call) {
  return "{\"function\":{\"name\":" + json_quote(call.name) +
         ",\"arguments\":" + object_text(call.arguments) + "}}";
}

std::string result_message(const ToolResult& result) {
  return "{\"role\":\"tool\",\"tool_name\":" + json_quote(result.tool) +
         ",\"content\":" + json_quote(result_text(result)) + "}";
}

struct Parts {
  std::string text, calls, images;
  bool first_call = true, first_image = true;

  void add(std::string_view more) {
    if (is_blank(more)) return;
    if (!text.empty()) text += "\n\n";
    text += more;
  }
  void add(const Image& image) {
    std::string data = "\"";
    append_base64(data, image.blob);
    append_joined(images, data + "\"", first_image);
  }
};

Fragment make_fragment(const Item& item) {
  Fragment fragment;
  bool first = true;
  Parts parts;
  for (const Block& block : item.blocks)
    std::visit(
        overloaded{
            [&](const ToolResult& result) { append_joined(fragment.text, result_message(result), first); },
            [&](const Text& text) { parts.add(text.text); },
            [&](const Summary& summary) { parts.add(summary.text); },
            [&](const Image& image) { parts.add(image); },
            [&](const ToolCall& call) { append_joined(parts.calls, call_text(call), parts.first_call); },
            [](const auto&) {}},
        block);
  if (parts.text.empty() && parts.calls.empty() && parts.images.empty()) return fragment;
  std::string message = std::string("{\"role\":\"") + (item.role == Role::assistant ? "assistant" : "user") +
                        "\",\"content\":" + json_quote(parts.text);
  if (!parts.calls.empty()) message += ",\"tool_calls\":[" + parts.calls + "]";
  if (!parts.images.empty()) message += ",\"images\":[" + parts.images + "]";
  append_joined(fragment.text, message + "}", first);
  return fragment;
}

// ----------------------------------------------------------------- response

class OllamaDecoder : public Decoder {
 public:
  explicit OllamaDecoder(const Request& request) : request_(request) {}

  void event(std::string_view, std::string_view line, StreamOut& out) override {
    if (fast_.match(line, piece_)) return text(piece_, out);
    const json chunk = event_object(line);
    if (!chunk.is_object()) return out.fail(malformed("a broken line"));
    if (chunk.contains("error")) return out.fail(request_error_of_event(line));
    const bool last = chunk.value("done", false);
    if (const auto it = chunk.find("message"); it != chunk.end() && it->is_object())
      message(*it, last ? std::string_view() : line, out);
    if (last) done(chunk, out);
  }

 private:
  void text(std::string_view piece, StreamOut& out) {
    text_ += piece;
    think_.feed(piece, out);
  }

  void message(const json& message, std::string_view line, StreamOut& out) {
    const std::string thought = text_field(message, "thinking"), piece = text_field(message, "content");
    thinking_ += thought;
    if (!thought.empty()) out.thinking(thought);
    if (!piece.empty() && message.size() == 2)
      fast_.learn(line, "content", piece);  // role and content, nothing else
    if (!piece.empty()) text(piece, out);
    for (const json& call : message.value("tool_calls", json::array())) {
      const json function = call.is_object() ? call.value("function", json::object()) : json::object();
      const json arguments = function.value("arguments", json::object());
      ToolCall made{.id = "ollama_" + std::to_string(request_.conversation.items.size()) + "_" +
                          std::to_string(calls_.size()),
                    .name = text_field(function, "name"),
                    .arguments = arguments.is_string()
                                     ? arguments.get<std::string>()
                                     : arguments.dump(-1, ' ', false, json::error_handler_t::replace),
                    .signature = {}};
      out.emit(CallStarted{made.id, made.name});
      calls_.push_back(std::move(made));
    }
  }

  void done(const json& chunk, StreamOut& out) {
    think_.end(out);
    const Tokens prompt = number_field(chunk, "prompt_eval_count");
    out.emit(UsageReport{{.input = prompt, .output = number_field(chunk, "eval_count")}});
    if (auto cut = silent_cut(request_, prompt)) return out.fail(std::move(*cut));
    const bool length = text_field(chunk, "done_reason") == "length";
    auto [thought, rest] = split_think(text_);
    TextCalls written = calls_.empty() && !length && request_.may_call_tools
                            ? take_text_calls(rest, request_.tools, request_.conversation.items.size())
                            : TextCalls{rest, {}};
    for (ToolCall& call : written.calls)
      out.emit(CallStarted{call.id, call.name}), calls_.push_back(std::move(call));
    if (thinking_ += thought; !thinking_.empty()) out.emit(BlockDone{Thinking{thinking_, {}, false}});
    if (!is_blank(written.text)) out.emit(BlockDone{Text{written.text}});
    const bool any = !calls_.empty();
    for (ToolCall& call : calls_) out.emit(BlockDone{std::move(call)});
    out.finish(length ? StopReason::length : any ? StopReason::tools : StopReason::end);
  }

  const Request& request_;
  DeltaTemplate fast_{true};  // its lines carry the time
  ThinkTags think_;
  std::string piece_, text_, thinking_;
  std::vector<ToolCall> calls_;
};

class Ollama : public Codec {
 public:
  explicit Ollama(ProviderConfig config) : config_(std::move(config)) {}

  std::string url(const Request&) const override {
    return endpoint_url(host_url(config_.base_url, 11434), "", "/api/chat");
  }

  Headers headers(const Request&) const override { return bearer_headers(config_, ""); }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += "{\"model\":" + json_quote(request.model) +
           ",\"stream\":true,\"truncate\":false,\"shift\":false,\"options\":{\"num_ctx\":" +
           std::to_string(request.window) + ",\"num_predict\":" + std::to_string(request.max_output) + "},";
    if (request.thinking > 0) out += "\"think\":true,";
    if (!request.json_schema.empty() && request.tools.empty())
      out += "\"format\":" + request.json_schema + ",";
    out += function_tools(request, true);
    out += "\"messages\":[";
    bool first = true;
    if (const std::string system = system_text(request, !request.tools.empty()); !is_blank(system))
      append_joined(out, "{\"role\":\"system\",\"content\":" + json_quote(system) + "}", first);
    for (const ItemPtr& item : request.conversation.items)
      append_joined(out, cache.get(item, make_fragment).text, first);
    out += "]}";
  }

  std::unique_ptr<Decoder> decoder(const Request& request) const override {
    return std::make_unique<OllamaDecoder>(request);
  }
  bool lines() const override { return true; }
  bool hold() const override { return true; }

 private:
  ProviderConfig config_;
};

}  // namespace

namespace providers {
extern const ProviderKind ollama;
const ProviderKind ollama{
    .name = "ollama",
    .title = "Ollama on this machine",
    .base_url = "http://127.0.0.1:11434",
    .default_model = "",
    .key_variables = "OLLAMA_API_KEY",
    .url_variable = "OLLAMA_HOST",
    .model_variable = "OLLAMA_MODEL",
    .needs_key = false,
    .local = true,
    .codec = [](const ProviderConfig& config) -> std::unique_ptr<Codec> {
      return std::make_unique<Ollama>(config);
    },
};
}  // namespace providers

}  // namespace tern
