// Gemini streamGenerateContent: contents alternate, calls carry thought signatures, nothing has an id of its
// own.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/codec.h"
#include "agent/models/codec_json.h"
#include "agent/models/hosted_search.h"
#include "agent/models/openai.h"
#include "agent/models/providers.h"
#include "agent/models/url.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::string_view dialect = "gemini";
// What the service accepts for calls another model made, where it insists on a signature.
constexpr std::string_view no_signature = "skip_thought_signature_validator";

// ------------------------------------------------------------------ request

std::string text_part(std::string_view text) {
  return is_blank(text) ? std::string() : "{\"text\":" + json_quote(text) + "}";
}

std::string data_part(std::string_view media_type, std::string_view blob) {
  std::string out = "{\"inlineData\":{\"mimeType\":" + json_quote(media_type) + ",\"data\":\"";
  append_base64(out, blob);
  return out + "\"}}";
}

// A name the service gave a call goes back with the call and with its result; our own stay here.
constexpr std::string_view named = "gfc_";
std::string id_field(std::string_view id) {
  return id.starts_with(named) ? "\"id\":" + json_quote(id.substr(named.size())) + "," : std::string();
}

std::string call_part(const ToolCall& call, bool wants_signature, bool thoughts) {
  std::string out = "{\"functionCall\":{" + id_field(call.id) + "\"name\":" + json_quote(call.name) +
                    ",\"args\":" + object_text(call.arguments) + "}";
  auto signature = thoughts ? own_signature(dialect, call.signature) : std::string_view();
  if (signature.empty() && wants_signature) signature = no_signature;
  if (!signature.empty()) out += ",\"thoughtSignature\":" + json_quote(signature);
  return out + "}";
}

std::string result_part(const ToolResult& result) {
  return "{\"functionResponse\":{" + id_field(result.call_id) +
         "\"name\":" + json_quote(result.tool.empty() ? "tool" : result.tool) + ",\"response\":{\"" +
         (result.is_error ? "error" : "output") + "\":" + json_quote(result_text(result)) + "}}}";
}

Fragment make_fragment(const Item& item, bool strict, bool thoughts) {
  Fragment fragment;
  bool first = true, first_call = true;
  for (const Block& block : item.blocks)
    if (const auto* result = std::get_if<ToolResult>(&block))
      append_joined(fragment.text, result_part(*result), first), fragment.results = true;
  for (const Block& block : item.blocks)
    std::visit(
        overloaded{
            [&](const Text& text) { append_joined(fragment.text, text_part(text.text), first); },
            [&](const Summary& summary) { append_joined(fragment.text, text_part(summary.text), first); },
            [&](const Image& image) {
              append_joined(fragment.text, data_part(image.media_type, image.blob), first);
            },
            [&](const Document& document) {
              append_joined(fragment.text, data_part(document.media_type, document.blob), first);
            },
            [&](const ToolCall& call) {
              append_joined(fragment.text, call_part(call, strict && first_call, thoughts), first);
              first_call = false, fragment.calls = true;
            },
            [](const auto&) {}},
        block);
  return fragment;
}

// The dialect knows no references, no $schema and no additionalProperties under its old name; the new one
// takes JSON schema as it is.
std::string declaration(const ToolSpec& tool) {
  return "{\"name\":" + json_quote(tool.name) + ",\"description\":" + json_quote(tool.description) +
         ",\"parametersJsonSchema\":" +
         (tool.schema.empty() ? "{\"type\":\"object\",\"properties\":{}}" : tool.schema) + "}";
}

// ----------------------------------------------------------------- response

StopReason reason_of(std::string_view word, bool calls) {
  if (word == "MAX_TOKENS") return StopReason::length;
  if (word == "STOP") return calls ? StopReason::tools : StopReason::end;
  for (std::string_view refusal :
       {"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"})
    if (word == refusal) return StopReason::refusal;
  return calls ? StopReason::tools : StopReason::other;
}

class GeminiDecoder : public Decoder {
 public:
  explicit GeminiDecoder(const Request& request)
      : serial_(request.conversation.items.empty() ? 0 : request.conversation.items.back()->id.value) {}

  void event(std::string_view, std::string_view data, StreamOut& out) override {
    if (fast_.match(data, piece_)) return text(piece_, out);
    const json chunk = event_object(data);
    if (!chunk.is_object()) return out.fail(malformed("a broken event"));
    if (chunk.contains("error")) return out.fail(request_error_of_event(data));
    if (const auto it = chunk.find("promptFeedback");
        it != chunk.end() && it->is_object() && it->contains("blockReason"))
      refused_ = true;
    if (const auto it = chunk.find("candidates"); it != chunk.end() && it->is_array() && !it->empty())
      candidate((*it)[0], data, out);
    usage(chunk, out);
  }

  void end(StreamOut& out) override {
    if (refused_) return out.finish(StopReason::refusal);
    if (!reason_) return;
    if (reason_->starts_with("MALFORMED") || *reason_ == "UNEXPECTED_TOOL_CALL")
      return out.fail(malformed("a malformed call"));
    close_text(out);
    sources_.tell(out);
    if (*reason_ == "STOP" && !any_) return out.fail(malformed("an empty answer"));
    out.finish(reason_of(*reason_, calls_ > 0));
  }

 private:
  void text(std::string_view piece, StreamOut& out) {
    text_ += piece;
    out.text(piece);
  }

  void candidate(const json& candidate, std::string_view data, StreamOut& out) {
    if (!candidate.is_object()) return;
    if (const auto it = candidate.find("groundingMetadata"); it != candidate.end() && it->is_object())
      grounded(*it);
    const json content = candidate.value("content", json::object());
    const json parts = content.is_object() ? content.value("parts", json::array()) : json::array();
    const bool last = candidate.contains("finishReason") && candidate["finishReason"].is_string();
    for (const json& part : parts)
      if (part.is_object()) take(part, parts.size() == 1 && !last ? data : std::string_view(), out);
    if (last) reason_ = candidate["finishReason"].get<std::string>();
  }

  void grounded(const json& metadata) {
    for (const json& chunk : metadata.value("groundingChunks", json::array()))
      if (chunk.is_object()) sources_.add(chunk.value("web", json()));
  }

  void take(const json& part, std::string_view data, StreamOut& out) {
    if (const auto call = part.find("functionCall"); call != part.end() && call->is_object())
      return take_call(*call, part.value("thoughtSignature", ""), out);
    const auto it = part.find("text");
    if (it == part.end() || !it->is_string()) return;
    const auto& piece = it->get_ref<const std::string&>();
    if (part.value("thought", false)) {
      thinking_ += piece;
      return out.thinking(piece);
    }
    if (part.size() == 1 && !piece.empty()) fast_.learn(data, "text", piece);
    text(piece, out);
  }

  void take_call(const json& call, const std::string& signature, StreamOut& out) {
    close_text(out);
    const std::string given = call.value("id", ""), name = call.value("name", "");
    const std::string id = given.empty() ? "gemini_" + std::to_string(serial_) + "_" + std::to_string(calls_)
                                         : std::string(named) + given;
    ++calls_;
    any_ = true;
    out.emit(CallStarted{id, name});
    out.emit(BlockDone{ToolCall{
        id, name, call.value("args", json::object()).dump(-1, ' ', false, json::error_handler_t::replace),
        mark_signature(dialect, signature)}});
  }

  void close_text(StreamOut& out) {
    if (!thinking_.empty()) out.emit(BlockDone{Thinking{std::exchange(thinking_, {}), {}, false}});
    if (!is_blank(text_)) any_ = true, out.emit(BlockDone{Text{std::exchange(text_, {})}});
    text_.clear();
  }

  static void usage(const json& chunk, StreamOut& out) {
    const auto it = chunk.find("usageMetadata");
    if (it == chunk.end() || !it->is_object()) return;
    const auto number = [&](const char* key) { return number_field(*it, key); };
    TokenUsage usage;
    usage.cache_read = number("cachedContentTokenCount");
    usage.input = std::max<Tokens>(number("promptTokenCount") - usage.cache_read, 0);
    usage.output = number("candidatesTokenCount") + number("thoughtsTokenCount");
    out.emit(UsageReport{usage});
  }

  std::uint64_t serial_;
  DeltaTemplate fast_;
  std::string piece_, text_, thinking_;
  std::optional<std::string> reason_;
  HostedSources sources_;
  int calls_ = 0;
  bool any_ = false, refused_ = false;
};

// 2 for "gemini-2.5-pro"; 0 for another name.
int generation(std::string_view model) {
  constexpr std::string_view family = "gemini-";
  return model.starts_with(family) ? std::atoi(std::string(model.substr(family.size())).c_str()) : 0;
}

// From the third generation on a level, before it a budget within the model's bounds; the second itself does
// not think.
std::string thinking_config(const Request& request) {
  const std::string& model = request.model;
  if (request.thinking < 1 || model.starts_with("gemini-2.0") || model.starts_with("gemini-1")) return {};
  std::string how;
  if (generation(model) >= 3) {
    const auto effort = effort_of(request.thinking);
    const bool two_levels = model.starts_with("gemini-3-pro");
    how = "\"thinkingLevel\":\"" + std::string(two_levels && effort == "medium" ? "high" : effort) + "\"";
  } else {
    const bool pro = model.find("pro") != model.npos, lite = model.find("lite") != model.npos;
    how = "\"thinkingBudget\":" + std::to_string(std::clamp(request.thinking,
                                                            pro    ? 128
                                                            : lite ? 512
                                                                   : 1,
                                                            pro ? 32'768 : 24'576));
  }
  return ",\"thinkingConfig\":{\"includeThoughts\":true," + how + "}";
}

class Gemini : public Codec {
 public:
  explicit Gemini(ProviderConfig config) : config_(std::move(config)) {}

  std::string url(const Request& request) const override {
    return endpoint_url(config_.base_url, "/v1beta",
                        "/models/" + request.model + ":streamGenerateContent?alt=sse");
  }

  Headers headers(const Request&) const override {
    Headers headers{
        {"content-type", "application/json"}, {"accept", "text/event-stream"}, {"user-agent", "tern"}};
    if (!config_.key.empty()) headers.emplace_back("x-goog-api-key", config_.key);
    headers.insert(headers.end(), config_.headers.begin(), config_.headers.end());
    return headers;
  }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += '{';
    if (const std::string system = system_text(request, !request.tools.empty()); !is_blank(system))
      out += "\"systemInstruction\":{\"parts\":[{\"text\":" + json_quote(system) + "}]},";
    append_tools(out, request);
    append_settings(out, request);
    const bool strict = generation(request.model) >= 3;
    cache.form(form(strict ? "signed" : ""));
    append_contents(out, request, cache, strict, allowed_);
    out += '}';
  }

  std::unique_ptr<Decoder> decoder(const Request& request) const override {
    return std::make_unique<GeminiDecoder>(request);
  }

 private:
  static void append_tools(std::string& out, const Request& request) {
    if (request.tools.empty()) return;
    if (asks_the_web(request)) return void(out += R"("tools":[{"google_search":{}}],)");
    std::string tools;
    bool first = true;
    for (const ToolSpec& tool : request.tools) append_joined(tools, declaration(tool), first);
    out += "\"tools\":[{\"functionDeclarations\":[" + tools + "]}],";
    if (!request.may_call_tools) out += "\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"NONE\"}},";
  }

  static void append_settings(std::string& out, const Request& request) {
    out += "\"generationConfig\":{\"maxOutputTokens\":" + std::to_string(request.max_output);
    out += thinking_config(request);
    if (!request.json_schema.empty() && request.tools.empty())
      out += ",\"responseMimeType\":\"application/json\",\"responseJsonSchema\":" + request.json_schema;
    out += "},";
  }

  static void append_contents(std::string& out, const Request& request, FragmentCache& cache, bool strict,
                              const Allowances& thoughts) {
    out += "\"contents\":[";
    std::optional<Role> open;
    const auto make = [&](const Item& item) { return make_fragment(item, strict, thoughts.of(item)); };
    for (const ItemPtr& item : request.conversation.items) {
      const Fragment& fragment = cache.get(item, make);
      if (fragment.text.empty()) continue;
      const Role role = item->role == Role::assistant ? Role::assistant : Role::user;
      if (!open && role == Role::assistant)
        out += R"j({"role":"user","parts":[{"text":"(earlier messages were removed)"}]},)j";
      if (open == role)
        out += ',';
      else
        out += std::string(open ? "]}," : "") +
               (role == Role::user ? "{\"role\":\"user\",\"parts\":[" : "{\"role\":\"model\",\"parts\":[");
      open = role;
      out += fragment.text;
    }
    out += open ? "]}]" : "]";
  }

  ProviderConfig config_;
};

}  // namespace

namespace providers {
extern const ProviderKind gemini;
const ProviderKind gemini{
    .name = "gemini",
    .title = "Google Gemini",
    .base_url = "https://generativelanguage.googleapis.com",
    .default_model = "gemini-3.8-flash",
    .key_variables = "GEMINI_API_KEY GOOGLE_API_KEY",
    .url_variable = "GEMINI_BASE_URL",
    .model_variable = "GEMINI_MODEL",
    .codec = [](const ProviderConfig& config) -> std::unique_ptr<Codec> {
      return std::make_unique<Gemini>(config);
    },
};
}  // namespace providers

}  // namespace tern
