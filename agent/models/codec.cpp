#include "agent/models/codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/url.h"

namespace tern {

void StreamOut::text(std::string_view more) {
  if (!thinking_.empty()) flush();
  text_ += more;
}

void StreamOut::thinking(std::string_view more) {
  if (!text_.empty()) flush();
  thinking_ += more;
}

void StreamOut::flush() {
  if (!text_.empty()) sink_(TextDelta{std::exchange(text_, {})});
  if (!thinking_.empty()) sink_(ThinkingDelta{std::exchange(thinking_, {})});
}

void StreamOut::emit(StreamEvent event) {
  flush();
  auto* done = std::get_if<BlockDone>(&event);
  if (!calls_ &&
      (std::holds_alternative<CallStarted>(event) || (done && std::holds_alternative<ToolCall>(done->block))))
    return;
  if (!done) return sink_(std::move(event));
  const bool thought = std::holds_alternative<Thinking>(done->block);
  held_.push_back(std::move(done->block));
  if (!hold_ && !thought) release();
}

void StreamOut::release() {
  for (Block& block : std::exchange(held_, {})) {
    given_.push_back(block);
    sink_(BlockDone{std::move(block)});
  }
}

void StreamOut::finish(StopReason reason) {
  flush();
  if (finished_ || trouble_) return;
  finished_ = !calls_ && reason == StopReason::tools ? StopReason::end : reason;
  release();
}

void StreamOut::fail(RequestError trouble) {
  flush();
  if (!finished_ && !trouble_) trouble_ = std::move(trouble);
}

void decode_event(Decoder& decoder, std::string_view name, std::string_view data, StreamOut& out) {
  if (out.finished() || out.trouble()) return;
  try {
    decoder.event(name, data, out);
  } catch (const nlohmann::json::exception&) {
    out.fail(malformed("a field of the wrong type"));
  }
}

void DeltaTemplate::learn(std::string_view data, std::string_view key, std::string_view text) {
  before_.clear();
  const std::string opening = "\"" + std::string(key) + "\":\"", quoted_text = json_quote(text);
  const auto at = data.find(opening);
  if (at == data.npos || data.find(opening, at + 1) != data.npos) return;  // the place must be beyond doubt
  const auto start = at + opening.size();
  if (data.substr(start - 1, quoted_text.size()) != quoted_text) return;
  before_ = data.substr(0, start);
  after_ = data.substr(start + quoted_text.size() - 2);
}

std::size_t DeltaTemplate::covers(std::string_view pattern, std::string_view data) const {
  if (data.starts_with(pattern)) return pattern.size();
  if (!counters_) return data.npos;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t p = 0, d = 0;
  while (p < pattern.size() && d < data.size()) {
    if (digit(pattern[p]) && digit(data[d])) {
      while (p < pattern.size() && digit(pattern[p])) ++p;
      while (d < data.size() && digit(data[d])) ++d;
    } else if (pattern[p++] != data[d++]) {
      return data.npos;
    }
  }
  return p == pattern.size() ? d : data.npos;
}

namespace {

// The end of a JSON string's inside: its first quote that is not escaped.
std::size_t string_end(std::string_view data, bool& escapes) {
  escapes = false;
  for (std::size_t at = 0; at < data.size(); ++at) {
    if (data[at] == '"') return at;
    if (data[at] == '\\') escapes = true, ++at;
  }
  return data.npos;
}

bool plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x80; });
}

}  // namespace

bool DeltaTemplate::match(std::string_view data, std::string& text) const {
  if (before_.empty()) return false;
  const auto start = covers(before_, data);
  if (start == data.npos) return false;
  data.remove_prefix(start);
  bool escapes = false;
  const auto end = string_end(data, escapes);
  if (end == data.npos) return false;
  const auto rest = data.substr(end);
  if (covers(after_, rest) != rest.size()) return false;
  const auto middle = data.substr(0, end);
  if (!escapes && plain_ascii(middle)) return text = middle, true;
  const auto parsed = nlohmann::json::parse("\"" + std::string(middle) + "\"", nullptr, false);
  if (!parsed.is_string()) return false;
  text = parsed.get_ref<const std::string&>();
  return true;
}

bool Codec::searches_itself(const Request& request, const ProviderConfig& config, std::string_view host,
                            bool model_has_it) const {
  const auto finds = [](const ToolSpec& tool) { return tool.duty == ToolDuty::search; };
  if (!allowed_.search || std::none_of(request.tools.begin(), request.tools.end(), finds)) return false;
  return config.tool_search.value_or(model_has_it && parse_url(config.base_url).host == host);
}

std::string Codec::form(std::string_view family) const {
  return std::string(family) + (allowed_.after ? " after " + std::to_string(allowed_.after) : "");
}

std::string system_text(const Request& request, bool schema_in_words) {
  std::string text = request.system;
  if (schema_in_words && !request.json_schema.empty())
    text +=
        "\n\nYour final answer must be one JSON value that matches this JSON schema, and nothing else:\n" +
        request.json_schema;
  return text;
}

Headers bearer_headers(const ProviderConfig& config, std::string_view accept) {
  Headers headers{{"content-type", "application/json"}};
  if (!accept.empty()) headers.emplace_back("accept", accept);
  headers.emplace_back("user-agent", "tern");
  if (!config.key.empty()) headers.emplace_back("authorization", "Bearer " + config.key);
  headers.insert(headers.end(), config.headers.begin(), config.headers.end());
  return headers;
}

namespace {

std::string named_function(const ToolSpec& tool, std::string_view more) {
  return "\"name\":" + json_quote(tool.name) + ",\"description\":" + json_quote(tool.description) +
         std::string(more) +
         ",\"parameters\":" + (tool.schema.empty() ? R"({"type":"object","properties":{}})" : tool.schema);
}

}  // namespace

std::string function_tool(const ToolSpec& tool, std::string_view more) {
  return R"({"type":"function",)" + named_function(tool, ",\"strict\":false") + std::string(more) + "}";
}

std::string function_tools(const Request& request, bool nested) {
  std::string tools;
  bool first = true;
  for (const ToolSpec& tool : request.tools) {
    const std::string one =
        nested ? R"({"type":"function","function":{)" + named_function(tool, {}) + "}}" : function_tool(tool);
    append_joined(tools, one, first);
  }
  return tools.empty() ? tools : "\"tools\":[" + tools + "],";
}

std::vector<std::string> tools_in_history(const Conversation& conversation) {
  std::vector<std::string> names;
  for (const ItemPtr& item : conversation.items)
    for (const Block& block : item->blocks)
      if (const auto* call = std::get_if<ToolCall>(&block);
          call && std::find(names.begin(), names.end(), call->name) == names.end())
        names.push_back(call->name);
  return names;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == text.npos; }

bool is_whole_json(std::string_view text) { return is_blank(text) || nlohmann::json::accept(text); }

std::string mark_signature(std::string_view dialect, std::string_view signature) {
  return signature.empty() ? std::string() : std::string(dialect) + ":" + std::string(signature);
}

std::string_view own_signature(std::string_view dialect, std::string_view marked) {
  const bool own =
      marked.size() > dialect.size() && marked.starts_with(dialect) && marked[dialect.size()] == ':';
  return own ? marked.substr(dialect.size() + 1) : std::string_view();
}

std::string_view result_text(const ToolResult& result) {
  return is_blank(result.text) ? std::string_view("(no output)") : result.text;
}

RequestError malformed(std::string_view what) {
  return {.kind = Failure::protocol,
          .message = "the service sent something unreadable (" + std::string(what) + ")",
          .retry = true};
}

}  // namespace tern
