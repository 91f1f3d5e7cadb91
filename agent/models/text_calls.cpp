#include "agent/models/text_calls.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compression/text/plain_text.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::string_view think_open = "<think>", think_close = "</think>";

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

class Finder {
 public:
  Finder(std::string_view text, const std::vector<ToolSpec>& tools, std::uint64_t serial)
      : text_(text), tools_(tools), serial_(serial) {}

  TextCalls find() {
    tagged("<tool_call>", "</tool_call>");
    tagged("<function_call>", "</function_call>");
    tagged("<|tool_call|>", "<|/tool_call|>");
    functions();
    after_mark("<|python_tag|>");
    after_mark("[TOOL_CALLS]");
    if (calls_.empty()) fenced();
    if (calls_.empty()) whole();
    return {calls_.empty() ? std::string(text_) : std::string(trimmed(text_)), std::move(calls_)};
  }

 private:
  const ToolSpec* offered(std::string_view name) const {
    const auto it = std::find_if(tools_.begin(), tools_.end(),
                                 [&](const ToolSpec& tool) { return same_name(tool.name, name); });
    return it == tools_.end() ? nullptr : &*it;
  }

  bool add(std::string_view name, std::string arguments) {
    const ToolSpec* tool = offered(name);
    if (!tool) return false;
    calls_.push_back({.id = "text_" + std::to_string(serial_) + "_" + std::to_string(calls_.size()),
                      .name = tool->name,
                      .arguments = std::move(arguments),
                      .signature = {}});
    return true;
  }

  bool add_object(const json& object) {
    if (object.is_array())
      return !object.empty() &&
             std::all_of(object.begin(), object.end(), [&](const json& one) { return add_object(one); });
    if (!object.is_object()) return false;
    const json& call =
        object.contains("function") && object["function"].is_object() ? object["function"] : object;
    const auto name = call.find("name");
    if (name == call.end() || !name->is_string()) return false;
    for (const char* key : {"arguments", "parameters", "args", "input"})
      if (const auto it = call.find(key); it != call.end())
        return add(name->get<std::string>(), it->is_string() ? it->get<std::string>() : it->dump());
    return false;
  }

  bool add_json(std::string_view text) {
    return !nests_too_deep(text) && add_object(json::parse(trimmed(text), nullptr, false));
  }

  // <open>{…}</close>, the close missing at the end of a sloppy answer.
  void tagged(std::string_view open, std::string_view close) {
    for (auto at = text_.find(open); at != text_.npos; at = text_.find(open, at)) {
      const auto end = std::min(text_.find(close, at), text_.size());
      const std::string inside = text_.substr(at + open.size(), end - at - open.size());
      if (add_json(inside) || add_functions(inside))
        text_.erase(at, std::min(end + close.size(), text_.size()) - at);
      else
        at += open.size();
    }
  }

  void functions() {
    const auto at = text_.find("<function=");
    if (at == text_.npos || !add_functions(text_.substr(at))) return;
    const auto end = text_.rfind("</function>");
    text_.erase(at, end == text_.npos ? text_.npos : end + 11 - at);
  }

  // <function=Read><parameter=file_path>a.cpp</parameter></function>, or <function=Read>{json}</function>
  bool add_functions(std::string_view text) {
    bool any = false;
    for (auto at = text.find("<function="); at != text.npos; at = text.find("<function=", at + 1)) {
      const auto name_end = text.find('>', at);
      if (name_end == text.npos) break;
      const auto end = std::min(text.find("</function>", at), text.size());
      const std::string_view name = text.substr(at + 10, name_end - at - 10),
                             inside = text.substr(name_end + 1, end - name_end - 1);
      any |= add(trimmed(name), json::accept(trimmed(inside)) && !trimmed(inside).empty()
                                    ? std::string(trimmed(inside))
                                    : parameters(inside));
    }
    return any;
  }

  static std::string parameters(std::string_view text) {
    json object = json::object();
    for (auto at = text.find("<parameter="); at != text.npos; at = text.find("<parameter=", at + 1)) {
      const auto name_end = text.find('>', at);
      if (name_end == text.npos) break;
      const auto end =
          std::min({text.find("</parameter>", at), text.find("<parameter=", at + 1), text.size()});
      std::string_view value = text.substr(name_end + 1, end - name_end - 1);
      if (value.starts_with('\n')) value.remove_prefix(1);
      if (value.ends_with('\n')) value.remove_suffix(1);
      object[std::string(trimmed(text.substr(at + 11, name_end - at - 11)))] = std::string(value);
    }
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  void after_mark(std::string_view mark) {
    const auto at = text_.find(mark);
    if (at != text_.npos && add_json(std::string_view(text_).substr(at + mark.size()))) text_.erase(at);
  }

  void fenced() {
    const auto open = text_.rfind("```json"), end = text_.rfind("```");
    if (open == text_.npos || end <= open + 7 || !trimmed(std::string_view(text_).substr(end + 3)).empty())
      return;
    if (add_json(std::string_view(text_).substr(open + 7, end - open - 7))) text_.erase(open);
  }

  void whole() {
    const auto text = trimmed(text_);
    if ((text.starts_with('{') || text.starts_with('[')) && add_json(text)) text_.clear();
  }

  std::string text_;
  const std::vector<ToolSpec>& tools_;
  std::uint64_t serial_;
  std::vector<ToolCall> calls_;
};

}  // namespace

TextCalls take_text_calls(std::string_view text, const std::vector<ToolSpec>& tools, std::uint64_t serial) {
  if (tools.empty() || text.find_first_of("{<") == text.npos) return {std::string(text), {}};
  return Finder(text, tools, serial).find();
}

void ThinkTags::feed(std::string_view piece, StreamOut& out) {
  if (where_ == Where::after) return out.text(piece);
  if (where_ == Where::gap) {  // blank lines between thought and answer
    piece.remove_prefix(std::min(piece.find_first_not_of(" \t\r\n"), piece.size()));
    if (piece.empty()) return;
    where_ = Where::after;
    return out.text(piece);
  }
  held_ += piece;
  if (where_ == Where::start) {
    const auto begun = held_.find_first_not_of(" \t\r\n");
    const std::string_view text =
        begun == held_.npos ? std::string_view() : std::string_view(held_).substr(begun);
    if (think_open.starts_with(text)) return;
    where_ = text.starts_with(think_open) ? Where::inside : Where::after;
    if (where_ == Where::after) return out.text(std::exchange(held_, {}));
    held_.erase(0, begun + think_open.size());
  }
  if (const auto close = held_.find(think_close); close != held_.npos) {
    out.thinking(std::string_view(held_).substr(0, close));
    where_ = Where::gap;
    return feed(std::exchange(held_, {}).substr(close + think_close.size()), out);
  }
  auto kept = std::min(held_.size(), think_close.size() - 1);
  while (kept > 0 && !think_close.starts_with(std::string_view(held_).substr(held_.size() - kept))) --kept;
  out.thinking(std::string_view(held_).substr(0, held_.size() - kept));
  held_.erase(0, held_.size() - kept);
}

void ThinkTags::end(StreamOut& out) {
  if (held_.empty()) return;
  where_ == Where::inside ? out.thinking(held_) : out.text(held_);
  held_.clear();
}

std::pair<std::string, std::string> split_think(std::string_view text) {
  const auto open = think_open, close = think_close;
  const auto start = trimmed(text);
  if (!start.starts_with(open)) return {"", std::string(text)};
  const auto end = start.find(close);
  if (end == start.npos) return {std::string(trimmed(start.substr(open.size()))), ""};
  return {std::string(trimmed(start.substr(open.size(), end - open.size()))),
          std::string(trimmed(start.substr(end + close.size())))};
}

}  // namespace tern
