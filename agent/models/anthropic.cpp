// Anthropic Messages: cache markers on system, tools and the last two messages; thoughts go back with their
// signatures.
#include <map>
#include <nlohmann/json.hpp>

#include "agent/models/claude_kind.h"
#include "agent/models/codec.h"
#include "agent/models/codec_json.h"
#include "agent/models/providers.h"
#include "agent/models/url.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::string_view dialect = "anthropic";
// What ends a part that the service shall cache.
std::string_view marker_of(const Request& request) {
  return request.long_cache ? R"(,"cache_control":{"type":"ephemeral","ttl":"1h"})"
                            : R"(,"cache_control":{"type":"ephemeral"})";
}
constexpr std::string_view long_context = "[1m]";  // "claude-sonnet-4-5[1m]": the million-token window

// ------------------------------------------------------------------ request

void add_source(std::string& out, std::string_view type, std::string_view media_type, std::string_view blob) {
  out += "{\"type\":" + json_quote(type) +
         ",\"source\":{\"type\":\"base64\",\"media_type\":" + json_quote(media_type) + ",\"data\":\"";
  append_base64(out, blob);
  out += "\"}}";
}

std::string text_block(std::string_view text) {
  if (is_blank(text)) return {};
  std::string out = "{\"type\":\"text\",\"text\":";
  append_quoted(out, text);
  return out += '}';
}

std::string thinking_block(const Thinking& thought) {
  const auto signature = own_signature(dialect, thought.signature);
  if (signature.empty()) return {};
  if (thought.redacted) return "{\"type\":\"redacted_thinking\",\"data\":" + json_quote(signature) + "}";
  return "{\"type\":\"thinking\",\"thinking\":" + json_quote(thought.text) +
         ",\"signature\":" + json_quote(signature) + "}";
}

std::string call_block(const ToolCall& call) {
  return "{\"type\":\"tool_use\",\"id\":\"" + wire_id(call.id) + "\",\"name\":" + json_quote(call.name) +
         ",\"input\":" + object_text(call.arguments) + "}";
}

std::string result_block(const ToolResult& result) {
  std::string out =
      "{\"type\":\"tool_result\",\"tool_use_id\":\"" + wire_id(result.call_id) + "\",\"content\":";
  append_quoted(out, result_text(result));
  return out += result.is_error ? ",\"is_error\":true}" : "}";
}

std::string block_text(const Block& block) {
  std::string out;
  std::visit(overloaded{[&](const Text& text) { out = text_block(text.text); },
                        [&](const Summary& summary) { out = text_block(summary.text); },
                        [&](const Thinking& thought) { out = thinking_block(thought); },
                        [&](const ToolCall& call) { out = call_block(call); },
                        [&](const ToolResult& result) { out = result_block(result); },
                        [&](const Image& image) { add_source(out, "image", image.media_type, image.blob); },
                        [&](const Document& document) {
                          add_source(out, "document", document.media_type, document.blob);
                        }},
             block);
  return out;
}

bool is_own_thought(const Block& block) {
  const auto* thought = std::get_if<Thinking>(&block);
  return thought && !own_signature(dialect, thought->signature).empty();
}

// Results stand first in a user message. An answer with thoughts of this service goes back as it came, for
// they are signed where they stand; in any other the calls come last.
int rank(const Block& block, bool as_stored) {
  if (std::holds_alternative<ToolResult>(block)) return 0;
  return !as_stored && std::holds_alternative<ToolCall>(block) ? 2 : 1;
}

Fragment make_fragment(const Item& item, bool thoughts) {
  Fragment fragment;
  bool first = true;
  const bool as_stored = thoughts && std::any_of(item.blocks.begin(), item.blocks.end(), is_own_thought);
  for (int now = 0; now < 3; ++now)
    for (const Block& block : item.blocks) {
      const bool thought = std::holds_alternative<Thinking>(block);
      if (rank(block, as_stored) != now || (thought && !thoughts)) continue;
      append_joined(fragment.text, block_text(block), first);
      if (!first && !thought) fragment.mark = fragment.text.size() - 1;
    }
  return fragment;
}

// A run of items of one role, sent as one message.
struct Message {
  Role role;
  std::vector<const Fragment*> parts;
};

std::vector<Message> messages_of(const Request& request, const ThoughtsAllowed& thoughts,
                                 FragmentCache& cache) {
  std::vector<Message> messages;
  messages.reserve(request.conversation.items.size());
  for (const ItemPtr& item : request.conversation.items) {
    const Fragment& fragment =
        cache.get(item, [&](const Item& it) { return make_fragment(it, thoughts.of(it)); });
    if (fragment.text.empty()) continue;
    const Role role = item->role == Role::assistant ? Role::assistant : Role::user;
    if (messages.empty() || messages.back().role != role) messages.push_back({role, {}});
    messages.back().parts.push_back(&fragment);
  }
  return messages;
}

void append_message(std::string& out, const Message& message, std::string_view marker) {
  out += message.role == Role::user ? "{\"role\":\"user\",\"content\":["
                                    : "{\"role\":\"assistant\",\"content\":[";
  for (std::size_t i = 0; i < message.parts.size(); ++i) {
    const Fragment& part = *message.parts[i];
    if (i) out += ',';
    const bool mark = !marker.empty() && i + 1 == message.parts.size() && part.mark != Fragment::nowhere;
    out += std::string_view(part.text).substr(0, mark ? part.mark : part.text.size());
    if (mark) out += marker, out += std::string_view(part.text).substr(part.mark);
  }
  out += "]}";
}

void append_messages(std::string& out, const std::vector<Message>& messages, std::string_view marker) {
  out += "\"messages\":[";
  if (messages.empty() || messages.front().role != Role::user) {
    out += R"j({"role":"user","content":[{"type":"text","text":"(earlier messages were removed)"}]})j";
    if (!messages.empty()) out += ',';
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i) out += ',';
    append_message(out, messages[i], i + 2 >= messages.size() ? marker : std::string_view());
  }
  out += ']';
}

void append_tools(std::string& out, const Request& request) {
  bool first = true;
  std::string tools;
  for (const ToolSpec& tool : request.tools) {
    const bool last = &tool == &request.tools.back();
    append_joined(tools,
                  "{\"name\":" + json_quote(tool.name) + ",\"description\":" + json_quote(tool.description) +
                      ",\"input_schema\":" + (tool.schema.empty() ? "{\"type\":\"object\"}" : tool.schema) +
                      (last ? std::string(marker_of(request)) : "") + "}",
                  first);
  }
  if (request.tools.empty())  // a history of calls needs definitions, even when none may be made
    for (const std::string& name : tools_in_history(request.conversation))
      append_joined(tools, "{\"name\":" + json_quote(name) + ",\"input_schema\":{\"type\":\"object\"}}",
                    first);
  if (tools.empty()) return;
  out += "\"tools\":[" + tools + "],";
  // "none" would drop the cached messages, so with tools on offer the decoder refuses calls instead.
  if (!request.may_call_tools && request.tools.empty()) out += "\"tool_choice\":{\"type\":\"none\"},";
}

// The service wants at least 1,024, and room behind it for the answer itself.
constexpr std::int64_t least_thinking = 1024;
std::int64_t thinking_room(const Request& request) {
  return static_cast<std::int64_t>(request.max_output) * 3 / 4;
}

// While thinking by budget, a tool loop must go on from a message that begins with its thought. One from
// elsewhere has none.
bool may_think_by_budget(const Request& request, const ThoughtsAllowed& thoughts) {
  if (request.thinking < 1 || thinking_room(request) < least_thinking) return false;
  for (auto it = request.conversation.items.rbegin(); it != request.conversation.items.rend(); ++it) {
    const Item& item = **it;
    if (item.role != Role::assistant) continue;
    const bool calls = std::any_of(item.blocks.begin(), item.blocks.end(), [](const Block& block) {
      return std::holds_alternative<ToolCall>(block);
    });
    return !calls || (thoughts.of(item) && !item.blocks.empty() && is_own_thought(item.blocks.front()));
  }
  return true;
}

// What is cut, compacted or told anew in the system prompt would make every later thought an error: those are
// to be dropped.
bool binds(const Request& request, const ThoughtsAllowed& thoughts) {
  return thoughts.binds && claude_kind(request.model).binds;
}

void append_thinking(std::string& out, const Request& request, const ThoughtsAllowed& thoughts) {
  const ClaudeKind kind = claude_kind(request.model);
  if (kind.by_default || (kind.adaptive && request.thinking > 0)) {
    out += R"("thinking":{"type":"adaptive","display":"summarized")";
    if (binds(request, thoughts)) out += R"(,"block_binding":{"prefix_mismatch_behavior":"drop_block"})";
    out += "},";
  } else if (!kind.adaptive && may_think_by_budget(request, thoughts)) {
    out +=
        "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":" +
        std::to_string(std::clamp<std::int64_t>(request.thinking, least_thinking, thinking_room(request))) +
        "},";
  }
}

std::string betas(const Request& request, const ThoughtsAllowed& thoughts) {
  std::string list;
  bool first = true;
  if (request.model.ends_with(long_context)) append_joined(list, "context-1m-2025-08-07", first);
  if (!claude_kind(request.model).adaptive && may_think_by_budget(request, thoughts))
    append_joined(list, "interleaved-thinking-2025-05-14", first);
  if (binds(request, thoughts)) append_joined(list, "thinking-binding-controls-2026-08-01", first);
  return list;
}

std::string_view plain_model(std::string_view model) {
  if (model.ends_with(long_context)) model.remove_suffix(long_context.size());
  return model;
}

// ----------------------------------------------------------------- response

struct Open {
  std::string type, text, signature, id, name;
};

StopReason reason_of(std::string_view word) {
  if (word == "end_turn" || word == "stop_sequence") return StopReason::end;
  if (word == "tool_use") return StopReason::tools;
  if (word == "max_tokens" || word == "model_context_window_exceeded") return StopReason::length;
  return word == "refusal" ? StopReason::refusal : StopReason::other;
}

class AnthropicDecoder : public Decoder {
 public:
  void event(std::string_view, std::string_view data, StreamOut& out) override {
    if (fast(data, out)) return;
    const json message = event_object(data);
    if (!message.is_object()) return out.fail(malformed("a broken event"));
    const std::string type = message.value("type", "");
    if (type == "content_block_delta") return delta(message, data, out);
    fast_.learn({}, "", "");
    if (type == "content_block_start") return start(message, out);
    if (type == "content_block_stop") return stop(message, out);
    if (type == "message_start") return usage(message.value("message", json::object()), out);
    if (type == "message_delta") return message_delta(message, out);
    if (type == "message_stop") return finish(out);
    if (type == "error") return out.fail(request_error_of_event(data));
  }

  void end(StreamOut& out) override {
    if (reason_) finish(out);
  }

 private:
  bool fast(std::string_view data, StreamOut& out) {
    if (!fast_.match(data, piece_)) return false;
    take(fast_index_, fast_type_, piece_, out);
    return true;
  }

  void take(int index, char type, std::string_view piece, StreamOut& out) {
    Open& open = open_[index];
    open.text += piece;
    if (type == 't') out.text(piece);
    if (type == 'h') out.thinking(piece);
    if (open.text.size() > longest_arguments)
      out.fail({.kind = Failure::protocol, .message = "a block of the answer is larger than 8 MB"});
  }

  void delta(const json& message, std::string_view data, StreamOut& out) {
    const auto index = number_field(message, "index");
    const auto it = message.find("delta");
    if (it == message.end() || !it->is_object()) return;
    const std::string type = it->value("type", "");
    if (type == "signature_delta") open_[index].signature += it->value("signature", "");
    const char* key = type == "text_delta"         ? "text"
                      : type == "thinking_delta"   ? "thinking"
                      : type == "input_json_delta" ? "partial_json"
                                                   : nullptr;
    if (!key) return;
    const std::string piece = it->value(key, "");
    fast_index_ = index, fast_type_ = type == "text_delta" ? 't' : type == "thinking_delta" ? 'h' : 'j';
    fast_.learn(data, key, piece);
    take(index, fast_type_, piece, out);
  }

  void start(const json& message, StreamOut& out) {
    const json block = message.value("content_block", json::object());
    Open open{block.value("type", ""), block.value("text", ""), block.value("signature", ""),
              block.value("id", ""), block.value("name", "")};
    if (open.type == "thinking") open.text = block.value("thinking", "");
    if (open.type == "redacted_thinking") open.signature = block.value("data", "");
    if (open.type == "tool_use" && block.contains("input") && !block["input"].empty())
      open.text = block["input"].dump();
    if (open.type == "text" && !open.text.empty()) out.text(open.text);
    if (open.type == "tool_use") out.emit(CallStarted{open.id, open.name});
    open_[number_field(message, "index")] = std::move(open);
  }

  void stop(const json& message, StreamOut& out) {
    const auto it = open_.find(number_field(message, "index"));
    if (it == open_.end()) return;
    Open open = std::move(it->second);
    open_.erase(it);
    if (open.type == "text" && !is_blank(open.text)) out.emit(BlockDone{Text{std::move(open.text)}});
    if (open.type == "thinking")
      out.emit(BlockDone{Thinking{std::move(open.text), mark_signature(dialect, open.signature), false}});
    if (open.type == "redacted_thinking")
      out.emit(BlockDone{Thinking{{}, mark_signature(dialect, open.signature), true}});
    if (open.type != "tool_use") return;
    if (!is_whole_json(open.text))
      return broken_.push_back(std::move(open));  // cut by the output limit, or nonsense: known at the end
    out.emit(BlockDone{ToolCall{std::move(open.id), std::move(open.name), std::move(open.text), {}}});
  }

  void message_delta(const json& message, StreamOut& out) {
    const json delta = message.value("delta", json::object());
    if (const auto it = delta.find("stop_reason"); it != delta.end() && it->is_string())
      reason_ = reason_of(it->get<std::string>());
    usage(message, out);
  }

  void usage(const json& holder, StreamOut& out) {
    const auto it = holder.find("usage");
    if (it == holder.end() || !it->is_object()) return;
    const auto read = [&](const char* key, Tokens& into) { into = int_arg(*it, key, into); };
    read("input_tokens", usage_.input), read("output_tokens", usage_.output);
    read("cache_read_input_tokens", usage_.cache_read),
        read("cache_creation_input_tokens", usage_.cache_write);
    if (const auto written = it->find("cache_creation"); written != it->end() && written->is_object())
      usage_.long_write =
          std::clamp<Tokens>(int_arg(*written, "ephemeral_1h_input_tokens", 0), 0, usage_.cache_write);
    out.emit(UsageReport{usage_});
  }

  void finish(StreamOut& out) {
    const StopReason reason = reason_.value_or(StopReason::end);
    if (reason != StopReason::length)
      for (Open& open : broken_)
        out.emit(BlockDone{ToolCall{std::move(open.id), std::move(open.name), std::move(open.text), {}}});
    out.finish(reason);
  }

  DeltaTemplate fast_;
  int fast_index_ = 0;
  char fast_type_ = 't';
  std::string piece_;
  std::map<std::int64_t, Open> open_;
  std::vector<Open> broken_;
  std::optional<StopReason> reason_;
  TokenUsage usage_;
};

class Anthropic : public Codec {
 public:
  explicit Anthropic(ProviderConfig config) : config_(std::move(config)) {}

  std::string url(const Request&) const override {
    return endpoint_url(config_.base_url, "/v1", "/messages");
  }

  Headers headers(const Request& request) const override {
    Headers headers{{"content-type", "application/json"},
                    {"accept", "text/event-stream"},
                    {"user-agent", "tern"},
                    {"anthropic-version", "2023-06-01"}};
    if (!config_.key.empty())
      headers.push_back(config_.bearer
                            ? std::pair<std::string, std::string>{"authorization", "Bearer " + config_.key}
                            : std::pair<std::string, std::string>{"x-api-key", config_.key});
    if (const std::string beta = betas(request, thoughts_); !beta.empty())
      headers.emplace_back("anthropic-beta", beta);
    headers.insert(headers.end(), config_.headers.begin(), config_.headers.end());
    return headers;
  }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += "{\"model\":" + json_quote(plain_model(request.model)) +
           ",\"stream\":true,\"max_tokens\":" + std::to_string(request.max_output) + ",";
    append_thinking(out, request, thoughts_);
    if (const std::string system = system_text(request, true); !is_blank(system))
      out += "\"system\":[{\"type\":\"text\",\"text\":" + json_quote(system) +
             std::string(marker_of(request)) + "}],";
    append_tools(out, request);
    cache.form(form(""));
    append_messages(out, messages_of(request, thoughts_, cache), marker_of(request));
    out += '}';
  }

  std::unique_ptr<Decoder> decoder(const Request&) const override {
    return std::make_unique<AnthropicDecoder>();
  }

 private:
  ProviderConfig config_;
};

}  // namespace

namespace providers {
extern const ProviderKind anthropic;
const ProviderKind anthropic{
    .name = "anthropic",
    .title = "Anthropic Messages",
    .base_url = "https://api.anthropic.com",
    .default_model = "claude-sonnet-5-5",
    .key_variables = "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN",
    .url_variable = "ANTHROPIC_BASE_URL",
    .model_variable = "ANTHROPIC_MODEL",
    .codec = [](const ProviderConfig& config) -> std::unique_ptr<Codec> {
      return std::make_unique<Anthropic>(config);
    },
};
}  // namespace providers

}  // namespace tern
