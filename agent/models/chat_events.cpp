#include "agent/models/chat_events.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/codec_json.h"
#include "agent/models/silent_cut.h"
#include "agent/models/text_calls.h"

namespace tern {
namespace {

using nlohmann::json;

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

}  // namespace

std::unique_ptr<Decoder> chat_decoder(const Request& request, ChatTraits traits) {
  return std::make_unique<ChatDecoder>(request, traits);
}

}  // namespace tern
