#include "agent/models/anthropic_events.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/models/codec_json.h"
#include "agent/models/hosted_search.h"

namespace tern {
namespace {

using nlohmann::json;

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
    if (type == "citations_delta") sources_.add(it->value("citation", json()));
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
    sources_.add_all(block.value("content", json()));
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
      out.emit(BlockDone{
          Thinking{std::move(open.text), mark_signature(anthropic_dialect, open.signature), false}});
    if (open.type == "redacted_thinking")
      out.emit(BlockDone{Thinking{{}, mark_signature(anthropic_dialect, open.signature), true}});
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
    sources_.tell(out);
    out.finish(reason);
  }

  HostedSources sources_;
  DeltaTemplate fast_;
  int fast_index_ = 0;
  char fast_type_ = 't';
  std::string piece_;
  std::map<std::int64_t, Open> open_;
  std::vector<Open> broken_;
  std::optional<StopReason> reason_;
  TokenUsage usage_;
};

}  // namespace

std::unique_ptr<Decoder> anthropic_decoder() { return std::make_unique<AnthropicDecoder>(); }

}  // namespace tern
