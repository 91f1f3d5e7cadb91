#include "agent/models/openai.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/models/codec_json.h"
#include "agent/models/providers.h"
#include "agent/models/text_calls.h"
#include "agent/models/url.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

using nlohmann::json;

// ------------------------------------------------------------------ request

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

// ----------------------------------------------------------------- response

struct OpenCall {
  std::string id, name, arguments;
};

StopReason reason_of(std::string_view word, bool calls) {
  if (word == "length") return StopReason::length;
  if (word == "content_filter") return StopReason::refusal;
  return calls ? StopReason::tools : StopReason::end;
}

class ChatDecoder : public Decoder {
 public:
  ChatDecoder(const Request& request, ChatTraits traits) : request_(request), traits_(traits) {}

  void event(std::string_view, std::string_view data, StreamOut& out) override {
    if (fast_.match(data, piece_)) return text(piece_, out);
    if (data == "[DONE]") return finish(out);
    const json chunk = event_object(data);
    if (!chunk.is_object()) return out.fail(malformed("a broken event"));
    if (const auto error = chunk.find("error"); error != chunk.end() && !error->is_null())
      return out.fail(request_error_of_event(data));
    usage(chunk, out);
    const auto choices = chunk.find("choices");
    if (choices == chunk.end() || !choices->is_array() || choices->empty() || !(*choices)[0].is_object())
      return;
    const json& choice = (*choices)[0];
    if (const auto it = choice.find("delta"); it != choice.end() && it->is_object()) delta(*it, data, out);
    if (const auto it = choice.find("finish_reason"); it != choice.end() && it->is_string())
      reason_ = it->get<std::string>();
  }

  void end(StreamOut& out) override {
    if (reason_) finish(out);
  }

 private:
  void text(std::string_view piece, StreamOut& out) {
    text_ += piece;
    think_.feed(piece, out);
  }

  void delta(const json& delta, std::string_view data, StreamOut& out) {
    for (const char* key : {"reasoning_content", "reasoning"})
      if (const auto it = delta.find(key); it != delta.end() && it->is_string())
        thinking_ += it->get_ref<const std::string&>(), out.thinking(it->get_ref<const std::string&>());
    if (const auto it = delta.find("reasoning_details");
        traits_.broker && it != delta.end() && it->is_array())
      for (const json& piece : *it) add_detail(piece);
    for (const char* key : {"content", "refusal"})
      if (const auto it = delta.find(key); it != delta.end() && it->is_string()) {
        const auto& piece = it->get_ref<const std::string&>();
        if (delta.size() == 1 && !piece.empty()) fast_.learn(data, key, piece);
        text(piece, out);
      }
    if (const auto it = delta.find("tool_calls"); it != delta.end() && it->is_array())
      for (const json& call : *it) call_delta(call, out);
  }

  // What the vendor behind a broker signed comes in pieces; those of one index and kind are one, and go back
  // as they were.
  void add_detail(const json& piece) {
    if (!piece.is_object()) return;
    const auto same = [&](const json& old) {
      return old.value("index", json()) == piece.value("index", json()) &&
             old.value("type", json()) == piece.value("type", json());
    };
    const auto old = std::find_if(details_.begin(), details_.end(), same);
    if (old == details_.end()) return details_.push_back(piece);
    for (const auto& [key, value] : piece.items()) {
      const bool grows = (key == "text" || key == "summary" || key == "data") && value.is_string() &&
                         (*old)[key].is_string();
      if (grows)
        (*old)[key].get_ref<std::string&>() += value.get_ref<const std::string&>();
      else if (!value.is_null())
        (*old)[key] = value;
    }
  }

  // Not empty: the thought goes back, as that or as what the vendor signed.
  std::string proof() const {
    if (traits_.broker)
      return details_.empty() ? "" : details_.dump(-1, ' ', false, json::error_handler_t::replace);
    return traits_.returns_reasoning ? "kept" : "";
  }

  static std::string text_of(const json& object, const char* key) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return {};
    return it->is_string() ? it->get<std::string>() : it->dump();
  }

  // Servers differ: an index or none, the id in each piece or in the first, whole calls in one piece.
  void call_delta(const json& call, StreamOut& out) {
    const json function = call.value("function", json::object());
    const std::string id = text_of(call, "id"), name = text_of(function, "name");
    std::size_t index = call.contains("index") && call["index"].is_number_unsigned()
                            ? call["index"].get<std::size_t>()
                            : calls_.size() - (calls_.empty() || !id.empty() ? 0 : 1);
    const bool other = index < calls_.size() && !id.empty() && !calls_[index].id.empty() &&
                       calls_[index].id != id && !name.empty();
    if (other || index > calls_.size()) index = calls_.size();
    if (index == calls_.size()) {
      calls_.push_back({id.empty() ? "call_" + std::to_string(request_.conversation.items.size()) + "_" +
                                         std::to_string(index)
                                   : id,
                        name, ""});
      if (!name.empty()) out.emit(CallStarted{calls_.back().id, name});
    }
    OpenCall& open = calls_[index];
    if (open.name.empty()) open.name = name;
    open.arguments += text_of(function, "arguments");
    if (open.arguments.size() > longest_arguments)
      out.fail({.kind = Failure::protocol, .message = "the arguments of a call are larger than 8 MB"});
  }

  void usage(const json& chunk, StreamOut& out) {
    const auto it = chunk.find("usage");
    if (it == chunk.end() || !it->is_object()) return;
    TokenUsage usage;
    usage.output = number_field(*it, "completion_tokens");
    prompt_ = number_field(*it, "prompt_tokens");
    usage.cache_read = it->contains("prompt_tokens_details")
                           ? number_field((*it)["prompt_tokens_details"], "cached_tokens")
                           : number_field(*it, "prompt_cache_hit_tokens");
    if (it->contains("prompt_tokens_details"))
      usage.cache_write = number_field((*it)["prompt_tokens_details"], "cache_write_tokens");
    usage.input = std::max<Tokens>(prompt_ - usage.cache_read - usage.cache_write, 0);
    out.emit(UsageReport{usage});
  }

  void finish(StreamOut& out) {
    think_.end(out);
    if (traits_.may_cut_prompt)
      if (auto cut = silent_cut(request_, prompt_)) return out.fail(std::move(*cut));
    const bool length = reason_ == "length";
    auto [thought, rest] = split_think(text_);
    if (!thought.empty()) thinking_ += thought;
    TextCalls written = calls_.empty() && !length && request_.may_call_tools
                            ? take_text_calls(rest, request_.tools, request_.conversation.items.size())
                            : TextCalls{rest, {}};
    if (!thinking_.empty() || !details_.empty())
      out.emit(BlockDone{Thinking{thinking_, mark_signature(traits_.dialect, proof()), false}});
    if (!is_blank(written.text)) out.emit(BlockDone{Text{written.text}});
    for (const ToolCall& call : written.calls)
      out.emit(CallStarted{call.id, call.name}), out.emit(BlockDone{call});
    bool any = !written.calls.empty();
    for (OpenCall& call : calls_) {
      if (call.name.empty() || (length && !is_whole_json(call.arguments))) continue;
      any = true;
      out.emit(BlockDone{ToolCall{std::move(call.id), std::move(call.name), std::move(call.arguments), {}}});
    }
    out.finish(reason_of(reason_.value_or("stop"), any));
  }

  const Request& request_;
  ChatTraits traits_;
  DeltaTemplate fast_;
  ThinkTags think_;
  std::string piece_, text_, thinking_;
  std::vector<OpenCall> calls_;
  std::optional<std::string> reason_;
  json details_ = json::array();
  Tokens prompt_ = 0;
};

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
    return std::make_unique<ChatDecoder>(request, traits_);
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

namespace {

// What of an item such a server gets to read as text: thoughts stay here, and what a picture costs is the
// server's affair.
Tokens sent(const Item& item) {
  Tokens sum = 0;
  for (const Block& block : item.blocks)
    if (!std::holds_alternative<Thinking>(block) && !std::holds_alternative<Image>(block) &&
        !std::holds_alternative<Document>(block))
      sum += estimate(block);
  return sum;
}

// A cut prompt fills the server's context or half of it. Contexts are powers of two, the larger ones also
// three or five times one (12k, 24k, 40k); any multiple of 1,024 would make every large figure one.
bool is_context_size(Tokens reported) {
  for (Tokens size = 1'024; size <= reported * 2; size *= 2)
    for (const Tokens context : {size, size * 3, size * 5})
      if ((context == size || context >= 10'240) &&
          std::abs(reported - context) <= std::max<Tokens>(context / 200, 8))
        return true;
  return false;
}

}  // namespace

std::optional<RequestError> silent_cut(const Request& request, Tokens reported) {
  Tokens all = estimate(request.system), since_answer = 0;
  for (const ItemPtr& item : request.conversation.items) {
    if (item->role == Role::assistant) since_answer = 0;
    all += sent(*item), since_answer += sent(*item);
  }
  // A tokenizer that is kind to digits counts little more than half of our estimate; to take that for a cut
  // would end a healthy conversation. Below it, or at the size of a context, it is one.
  const Tokens plausible = all * (is_context_size(reported) ? 60 : 45) / 100;
  if (reported < 900 || all < 3'000 || reported > plausible) return std::nullopt;
  // Old servers report what they had to read, and had the rest cached: then it is no more than what was new.
  if (reported <= since_answer * 5 / 4 && !is_context_size(reported)) return std::nullopt;
  return RequestError{.kind = Failure::overflow,
                      .message = "the server read only " + std::to_string(reported) + " of about " +
                                 std::to_string(all) +
                                 " tokens: its context is smaller than the conversation — raise its context "
                                 "(num_ctx), or set the model's window",
                      .limit = reported,
                      .asked = all};
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
