// Anthropic Messages: cache markers on system, tools and the last two messages; thoughts go back with their
// signatures.
#include <algorithm>

#include "agent/models/anthropic_events.h"
#include "agent/models/claude_kind.h"
#include "agent/models/codec.h"
#include "agent/models/codec_json.h"
#include "agent/models/found_tools.h"
#include "agent/models/hosted_search.h"
#include "agent/models/providers.h"
#include "agent/models/url.h"

namespace tern {
namespace {

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
  const auto signature = own_signature(anthropic_dialect, thought.signature);
  if (signature.empty()) return {};
  if (thought.redacted) return "{\"type\":\"redacted_thinking\",\"data\":" + json_quote(signature) + "}";
  return "{\"type\":\"thinking\",\"thinking\":" + json_quote(thought.text) +
         ",\"signature\":" + json_quote(signature) + "}";
}

std::string call_block(const ToolCall& call) {
  return "{\"type\":\"tool_use\",\"id\":\"" + wire_id(call.id) + "\",\"name\":" + json_quote(call.name) +
         ",\"input\":" + object_text(call.arguments) + "}";
}

// Found tools are named; what they are stands with the other tools.
std::string result_block(const ToolResult& result, const std::vector<ToolSpec>& found) {
  std::string out =
      "{\"type\":\"tool_result\",\"tool_use_id\":\"" + wire_id(result.call_id) + "\",\"content\":";
  std::string names;
  bool first = true;
  for (const ToolSpec& tool : found)
    append_joined(names, "{\"type\":\"tool_reference\",\"tool_name\":" + json_quote(tool.name) + "}", first);
  if (found.empty())
    append_quoted(out, result_text(result));
  else
    out += "[" + names + "]";
  return out += result.is_error ? ",\"is_error\":true}" : "}";
}

std::string block_text(const Block& block, const ToolSearch& search) {
  std::string out;
  std::visit(
      overloaded{
          [&](const Text& text) { out = text_block(text.text); },
          [&](const Summary& summary) { out = text_block(summary.text); },
          [&](const Thinking& thought) { out = thinking_block(thought); },
          [&](const ToolCall& call) { out = call_block(call); },
          [&](const ToolResult& result) { out = result_block(result, search.of(result).tools); },
          [&](const Image& image) { add_source(out, "image", image.media_type, image.blob); },
          [&](const Document& document) { add_source(out, "document", document.media_type, document.blob); }},
      block);
  return out;
}

bool is_own_thought(const Block& block) {
  const auto* thought = std::get_if<Thinking>(&block);
  return thought && !own_signature(anthropic_dialect, thought->signature).empty();
}

// Results stand first in a user message. An answer with thoughts of this service goes back as it came, for
// they are signed where they stand; in any other the calls come last.
int rank(const Block& block, bool as_stored) {
  if (std::holds_alternative<ToolResult>(block)) return 0;
  return !as_stored && std::holds_alternative<ToolCall>(block) ? 2 : 1;
}

// What a search said beside the tools it found: only names may stand in a result that has some.
std::string search_words(const Item& item, const ToolSearch& search) {
  std::string words;
  for (const Block& block : item.blocks) {
    const auto* result = std::get_if<ToolResult>(&block);
    if (result == nullptr || !search.is(result->tool)) continue;
    if (const FoundTools found = search.of(*result); !found.tools.empty()) words += found.words;
  }
  return text_block(words);
}

Fragment make_fragment(const Item& item, bool thoughts, const ToolSearch& search) {
  Fragment fragment;
  bool first = true;
  const bool as_stored = thoughts && std::any_of(item.blocks.begin(), item.blocks.end(), is_own_thought);
  const auto add = [&](const std::string& text, bool thought) {
    append_joined(fragment.text, text, first);
    if (!first && !thought) fragment.mark = fragment.text.size() - 1;
  };
  for (int now = 0; now < 3; ++now) {
    for (const Block& block : item.blocks) {
      const bool thought = std::holds_alternative<Thinking>(block);
      if (rank(block, as_stored) == now && (!thought || thoughts)) add(block_text(block, search), thought);
    }
    if (now == 0 && search.on()) add(search_words(item, search), false);
  }
  return fragment;
}

// A run of items of one role, sent as one message.
struct Message {
  Role role;
  std::vector<const Fragment*> parts;
};

std::vector<Message> messages_of(const Request& request, const Allowances& thoughts, const ToolSearch& search,
                                 FragmentCache& cache) {
  std::vector<Message> messages;
  messages.reserve(request.conversation.items.size());
  for (const ItemPtr& item : request.conversation.items) {
    const Fragment& fragment =
        cache.get(item, [&](const Item& it) { return make_fragment(it, thoughts.of(it), search); });
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

std::string declaration(const ToolSpec& tool, std::string_view more) {
  return "{\"name\":" + json_quote(tool.name) + ",\"description\":" + json_quote(tool.description) +
         ",\"input_schema\":" + (tool.schema.empty() ? "{\"type\":\"object\"}" : tool.schema) +
         std::string(more) + "}";
}

// Deferred tools are no part of the cached prefix: what ends it is the last of the others.
void append_tools(std::string& out, const Request& request, const ToolSearch& search) {
  if (asks_the_web(request)) {
    out += R"("tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}],)";
    return;
  }
  bool first = true;
  std::string tools;
  const auto declared = [&](const ToolSpec& tool) { return !search.on() || tool.duty != ToolDuty::relay; };
  const auto last = std::find_if(request.tools.rbegin(), request.tools.rend(), declared);
  for (const ToolSpec& tool : request.tools)
    if (declared(tool))
      append_joined(tools, declaration(tool, &tool == &*last ? marker_of(request) : std::string_view()),
                    first);
  for (const ToolSpec& tool : search.found)
    append_joined(tools, declaration(tool, ",\"defer_loading\":true"), first);
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
bool may_think_by_budget(const Request& request, const Allowances& thoughts) {
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
bool binds(const Request& request, const Allowances& thoughts) {
  return thoughts.binds && claude_kind(request.model).binds;
}

void append_thinking(std::string& out, const Request& request, const Allowances& thoughts) {
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

std::string betas(const Request& request, const Allowances& thoughts, bool searches) {
  std::string list;
  bool first = true;
  if (request.model.ends_with(long_context)) append_joined(list, "context-1m-2025-08-07", first);
  if (!claude_kind(request.model).adaptive && may_think_by_budget(request, thoughts))
    append_joined(list, "interleaved-thinking-2025-05-14", first);
  if (binds(request, thoughts)) append_joined(list, "thinking-binding-controls-2026-08-01", first);
  if (searches) append_joined(list, "advanced-tool-use-2025-11-20", first);
  return list;
}

std::string_view plain_model(std::string_view model) {
  if (model.ends_with(long_context)) model.remove_suffix(long_context.size());
  return model;
}

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
    if (const std::string beta = betas(request, allowed_, searches(request)); !beta.empty())
      headers.emplace_back("anthropic-beta", beta);
    headers.insert(headers.end(), config_.headers.begin(), config_.headers.end());
    return headers;
  }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += "{\"model\":" + json_quote(plain_model(request.model)) +
           ",\"stream\":true,\"max_tokens\":" + std::to_string(request.max_output) + ",";
    append_thinking(out, request, allowed_);
    if (const std::string system = system_text(request, true); !is_blank(system))
      out += "\"system\":[{\"type\":\"text\",\"text\":" + json_quote(system) +
             std::string(marker_of(request)) + "}],";
    const ToolSearch search = tool_search(request, searches(request));
    append_tools(out, request, search);
    cache.form(form(search.on() ? "search" : ""));
    append_messages(out, messages_of(request, allowed_, search, cache), marker_of(request));
    out += '}';
  }

  std::unique_ptr<Decoder> decoder(const Request&) const override { return anthropic_decoder(); }

  bool searches(const Request& request) const override {
    return searches_itself(request, config_, "api.anthropic.com", claude_kind(request.model).searches);
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
