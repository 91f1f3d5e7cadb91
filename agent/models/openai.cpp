#include "agent/models/openai.h"

#include <algorithm>
#include <cstdlib>

#include "agent/models/chat_events.h"
#include "agent/models/providers.h"
#include "agent/models/url.h"

namespace tern {
namespace {

std::string data_url(std::string_view media_type, std::string_view blob) {
  std::string url = "data:" + std::string(media_type) + ";base64,";
  append_base64(url, blob);
  return url;
}

void append_part(std::string& parts, bool& first, const Block& block) {
  if (const auto* text = std::get_if<Text>(&block); text && !is_blank(text->text))
    append_joined(parts, "{\"type\":\"text\",\"text\":" + json_quote(text->text) + "}", first);
  if (const auto* summary = std::get_if<Summary>(&block); summary && !is_blank(summary->text))
    append_joined(parts, "{\"type\":\"text\",\"text\":" + json_quote(summary->text) + "}", first);
  if (const auto* image = std::get_if<Image>(&block))
    append_joined(parts,
                  "{\"type\":\"image_url\",\"image_url\":{\"url\":" +
                      json_quote(data_url(image->media_type, image->blob)) + "}}",
                  first);
  if (const auto* file = std::get_if<Document>(&block))
    append_joined(parts,
                  "{\"type\":\"file\",\"file\":{\"filename\":\"document.pdf\",\"file_data\":" +
                      json_quote(data_url(file->media_type, file->blob)) + "}}",
                  first);
}

std::string plain_text(const Item& item) {
  std::string text;
  for (const Block& block : item.blocks) {
    const auto* plain = std::get_if<Text>(&block);
    const auto* summary = std::get_if<Summary>(&block);
    const std::string_view more = plain ? plain->text : summary ? summary->text : std::string_view();
    if (is_blank(more)) continue;
    if (!text.empty()) text += "\n\n";
    text += more;
  }
  return text;
}

bool has_media(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(), [](const Block& block) {
    return std::holds_alternative<Image>(block) || std::holds_alternative<Document>(block);
  });
}

std::string user_messages(const Item& item) {
  std::string out;
  bool first = true;
  for (const Block& block : item.blocks)
    if (const auto* result = std::get_if<ToolResult>(&block))
      append_joined(out,
                    "{\"role\":\"tool\",\"tool_call_id\":\"" + wire_id(result->call_id) +
                        "\",\"content\":" + json_quote(result_text(*result)) + "}",
                    first);
  if (has_media(item)) {
    std::string parts;
    bool first_part = true;
    for (const Block& block : item.blocks) append_part(parts, first_part, block);
    append_joined(out, "{\"role\":\"user\",\"content\":[" + parts + "]}", first);
  } else if (const std::string text = plain_text(item); !text.empty()) {
    append_joined(out, "{\"role\":\"user\",\"content\":" + json_quote(text) + "}", first);
  }
  return out;
}

std::string assistant_message(const Item& item, const ChatTraits& traits) {
  std::string calls, reasoning, details;
  bool first = true;
  for (const Block& block : item.blocks) {
    if (const auto* call = std::get_if<ToolCall>(&block))
      append_joined(calls,
                    "{\"id\":\"" + wire_id(call->id) +
                        "\",\"type\":\"function\",\"function\":{\"name\":" + json_quote(call->name) +
                        ",\"arguments\":" + json_quote(object_text(call->arguments)) + "}}",
                    first);
    const auto* thought = std::get_if<Thinking>(&block);
    const auto own = thought ? own_signature(traits.dialect, thought->signature) : std::string_view();
    if (!own.empty()) reasoning += thought->text, details = own;
  }
  const std::string text = plain_text(item);
  if (text.empty() && calls.empty()) return {};
  std::string out = "{\"role\":\"assistant\",\"content\":" + (text.empty() ? "null" : json_quote(text));
  if (traits.returns_reasoning) out += ",\"reasoning_content\":" + json_quote(reasoning);
  if (traits.broker && !details.empty()) out += ",\"reasoning_details\":" + details;
  if (!calls.empty()) out += ",\"tool_calls\":[" + calls + "]";
  return out + "}";
}

class Chat : public Codec {
 public:
  Chat(ProviderConfig config, ChatTraits traits) : config_(std::move(config)), traits_(traits) {}

  std::string url(const Request&) const override {
    return endpoint_url(config_.base_url, "/v1", "/chat/completions");
  }

  Headers headers(const Request&) const override { return bearer_headers(config_, "text/event-stream"); }

  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    out += "{\"model\":" + json_quote(request.model) +
           ",\"stream\":true,\"stream_options\":{\"include_usage\":true},";
    out += (traits_.first_party ? "\"max_completion_tokens\":" : "\"max_tokens\":") +
           std::to_string(request.max_output) + ",";
    append_reasoning(out, request);
    if (traits_.first_party && !request.json_schema.empty())
      out +=
          "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"answer\",\"schema\":" +
          request.json_schema + "}},";
    append_tools(out, request);
    out += "\"messages\":[";
    cache.form("chat");
    bool first = true;
    if (const std::string system = system_text(request, !traits_.first_party); !is_blank(system))
      append_joined(out, "{\"role\":\"system\",\"content\":" + json_quote(system) + "}", first);
    for (const ItemPtr& item : request.conversation.items)
      append_joined(out, cache.get(item, [this](const Item& it) { return fragment(it); }).text, first);
    out += "]}";
  }

  std::unique_ptr<Decoder> decoder(const Request& request) const override {
    return chat_decoder(request, traits_);
  }
  bool hold() const override { return traits_.may_cut_prompt; }

 private:
  Fragment fragment(const Item& item) const {
    Fragment made;
    made.text = item.role == Role::assistant ? assistant_message(item, traits_) : user_messages(item);
    return made;
  }

  void append_reasoning(std::string& out, const Request& request) const {
    if (traits_.broker && request.model.find("claude") != std::string::npos)
      out += R"("cache_control":{"type":"ephemeral"},)";
    if (request.thinking < 1) return;
    if (traits_.first_party && openai_reasons(request.model))
      out += "\"reasoning_effort\":\"" + std::string(effort_of(request.thinking)) + "\",";
    const Tokens most = request.max_output * 3 / 4;
    if (traits_.broker && most >= 1'024)
      out += "\"reasoning\":{\"max_tokens\":" +
             std::to_string(std::clamp<Tokens>(request.thinking, 1'024, most)) + "},";
  }

  void append_tools(std::string& out, const Request& request) const {
    out += function_tools(request, true);
    // A local server would take the tools out of its prompt and lose its cached prefix: there the decoder
    // refuses calls.
    if (!request.tools.empty() && !request.may_call_tools && traits_.first_party)
      out += "\"tool_choice\":\"none\",";
  }

  ProviderConfig config_;
  ChatTraits traits_;
};

}  // namespace

std::unique_ptr<Codec> chat_codec(const ProviderConfig& config, ChatTraits traits) {
  return std::make_unique<Chat>(config, traits);
}

std::string_view effort_of(int thinking) {
  return thinking < 4'000 ? "low" : thinking < 16'000 ? "medium" : "high";
}

namespace providers {
extern const ProviderKind openai;
const ProviderKind openai{
    .name = "openai",
    .title = "OpenAI chat completions, or any compatible server by base URL",
    .base_url = "https://api.openai.com",
    .default_model = "gpt-6.1-sol",
    .key_variables = "OPENAI_API_KEY",
    .url_variable = "OPENAI_BASE_URL",
    .model_variable = "OPENAI_MODEL",
    .codec =
        [](const ProviderConfig& config) {
          const std::string host = parse_url(config.base_url).host;
          return host.ends_with("openai.com") ? openai_codec(config)
                                              : chat_codec(config, {.may_cut_prompt = is_loopback(host)});
        },
};
}  // namespace providers

}  // namespace tern
