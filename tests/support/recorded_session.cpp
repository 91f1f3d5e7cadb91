#include "tests/support/recorded_session.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>

#include "compression/reading/survey.h"
#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

namespace tern::test {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string string_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>()
                                                                           : std::string();
}

bool flag_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// Broken bytes become U+FFFD on the way through a JSON string.
std::string valid_utf8(const std::string& bytes) { return Json::parse(dumped(bytes)).get<std::string>(); }

Tokens quarter(std::string_view text) {
  Tokens n = 0;
  for (const unsigned char c : text) n += (c & 0xC0) != 0x80;
  return (n + 3) / 4;
}

// As Python writes it: ", " and ": " between the parts.
std::size_t separators(const Json& value) {
  std::size_t n = 0;
  if (value.is_object()) {
    n += value.size() * 2;
    for (const auto& [key, v] : value.items()) n += separators(v);
  } else if (value.is_array()) {
    n += value.size();
    for (const auto& v : value) n += separators(v);
  }
  return value.empty() || !value.is_structured() ? 0 : n - 1;
}

std::string text_of(const Json& block) {
  const auto content = block.find("content");
  if (content == block.end() || !content->is_array()) return string_in(block, "content");
  std::string out;
  for (const auto& part : *content)
    out += part.is_string() ? part.get<std::string>() : string_in(part, "text");
  return out;
}

Tokens tokens_of(const Json& message) {
  Tokens n = 4;
  for (const auto& block : message.at("content")) {
    const std::string type = string_in(block, "type");
    if (type == "tool_result")
      n += quarter(text_of(block));
    else if (type == "tool_use")
      n += quarter(string_in(block, "name")) +
           quarter(dumped(block.at("input")) + std::string(separators(block.at("input")), ' '));
    else
      n += quarter(string_in(block, "text"));
  }
  return n;
}

std::string subject_of(const Json& input) {
  for (const char* key : {"file_path", "command", "cmd", "pattern", "path", "url", "query"}) {
    if (auto subject = string_in(input, key); !subject.empty()) return subject;
  }
  return {};
}

// The blocks of a message in the three types the wire knows; anything else is told by a line.
Json tidied(const Json& block) {
  if (block.is_string()) return {{"type", "text"}, {"text", block}};
  const std::string type = string_in(block, "type");
  if (type == "text" && block.contains("text") && block["text"].is_string()) return block;
  if (type == "tool_result") return block;
  if (type != "tool_use")
    return {{"type", "text"}, {"text", "[" + (type.empty() ? "unknown" : type) + " left out]"}};
  Json call = block;
  call["id"] = string_in(block, "id");
  call["name"] = string_in(block, "name");
  if (!call.contains("input")) call["input"] = Json::object();
  return call;
}

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  RecordedSession run() {
    for (std::string line; std::getline(in_, line);) {
      auto message = Json::parse(line, nullptr, false);
      if (message.is_discarded()) message = Json::parse(valid_utf8(line), nullptr, false);
      if (message.is_object() && string_in(message, "type") == "message") take(message);
    }
    session_.messages = message_;
    session_.conversation = repair(session_.conversation);
    return std::move(session_);
  }

 private:
  // One item for each origin in a message: results, what a harness wrote, what the person wrote.
  void take(Json message) {
    Json content = Json::array();
    if (const auto found = message.find("content"); found != message.end()) {
      if (!found->is_array()) content.push_back(tidied(found->is_string() ? *found : Json::object()));
      for (const auto& block : found->is_array() ? *found : Json::array()) content.push_back(tidied(block));
    }
    message["content"] = content;
    session_.tokens += tokens_of(message);
    const bool assistant = string_in(message, "role") == "assistant",
               human = string_in(message, "origin") == "human";
    item_ = {};
    std::size_t j = 0;
    for (const auto& block : content) {
      const bool text = block["type"] == "text";
      const bool synthetic = !assistant && text && (!human || string_in(block, "origin") == "harness");
      if (item_.id == ItemId{} || (!assistant && text != text_) || item_.synthetic != synthetic)
        begin(message, assistant, synthetic);
      text_ = text;
      item_.blocks.push_back(read(block, j));
      if (block["type"] != "tool_result") session_.recall[item_.recall.value].emplace_back(message_, j);
      ++j;
    }
    end();
    ++message_;
  }

  void begin(const Json& message, bool assistant, bool synthetic) {
    end();
    item_.id = {++id_};
    item_.role = assistant ? Role::assistant : Role::user;
    item_.synthetic = synthetic;
    item_.recall = {static_cast<std::uint32_t>(id_)};
    if (const auto ts = message.find("ts");
        ts != message.end() && ts->is_number() && std::abs(ts->get<double>()) < 1e12)
      item_.when = TimePoint(std::chrono::milliseconds(static_cast<std::int64_t>(ts->get<double>() * 1000)));
  }

  void end() {
    if (!item_.blocks.empty()) session_.conversation.items.push_back(make_item(std::move(item_)));
    item_ = {};
  }

  Block read(const Json& block, std::size_t j) {
    if (block["type"] == "text" && flag_in(block, "summary")) return Summary{block["text"], {}};
    if (block["type"] == "text") return Text{block["text"]};
    return block["type"] == "tool_use" ? Block{call(block)} : Block{result(block, j)};
  }

  // Ids are the conversation's own: one that was there before gets a tail, for its result, too.
  ToolCall call(const Json& block) {
    const std::string said = block["id"];
    std::string id = said.empty() ? "call" : said;
    while (!ids_.insert(id).second) id += "~";
    calls_[said] = {id, block["name"], subject_of(block["input"])};
    return {id, block["name"], dumped(block["input"]), {}};
  }

  ToolResult result(const Json& block, std::size_t j) {
    ToolResult result;
    std::tie(result.call_id, result.tool, result.subject) = calls_[string_in(block, "tool_use_id")];
    result.text = text_of(block);
    result.is_error = flag_in(block, "is_error");
    if (result.text.starts_with(compacted_label)) result.form = ResultForm::compacted;
    result.recall = {static_cast<std::uint32_t>(id_ + 10'000 * (j + 1))};
    session_.recall[result.recall.value] = {{message_, j}};
    return result;
  }

  std::istream& in_;
  RecordedSession session_;
  std::map<std::string, std::tuple<std::string, std::string, std::string>> calls_;
  std::set<std::string> ids_;
  std::uint64_t id_ = 0;
  std::size_t message_ = 0;
  Item item_;
  bool text_ = false;
};

Json write(const Block& block) {
  return std::visit(
      overloaded{
          [](const Text& b) {
            return Json{{"type", "text"}, {"text", b.text}};
          },
          [](const Summary& b) {
            return Json{{"type", "text"}, {"text", b.text}, {"summary", true}};
          },
          [](const ToolCall& b) {
            auto input = Json::parse(b.arguments, nullptr, false);
            if (input.is_discarded()) input = {{"cut", b.arguments}};
            return Json{{"type", "tool_use"}, {"id", b.id}, {"name", b.name}, {"input", std::move(input)}};
          },
          [](const ToolResult& b) {
            return Json{{"type", "tool_result"},
                        {"tool_use_id", b.call_id},
                        {"content", b.text},
                        {"is_error", b.is_error}};
          },
          [](const auto&) {
            return Json{{"type", "text"}, {"text", "[attachment]"}};
          },
      },
      block);
}

Json note(const char* text) {
  return {{"role", "user"}, {"content", {{{"type", "text"}, {"text", text}, {"origin", "harness"}}}}};
}

}  // namespace

RecordedSession recorded_session(std::istream& in) { return Reader(in).run(); }

Json wire_messages(const Conversation& conversation) {
  Json messages = Json::array();
  for (const auto& item : conversation.items) {
    const std::string role = item->role == Role::assistant ? "assistant" : "user";
    if (messages.empty() || messages.back()["role"] != role)
      messages.push_back({{"role", role}, {"content", Json::array()}});
    auto& message = messages.back();
    if (is_human(*item)) message["origin"] = "human";
    for (const auto& block : item->blocks) {
      message["content"].push_back(write(block));
      if (item->synthetic) message["content"].back()["origin"] = "harness";
    }
  }
  if (messages.empty()) messages.push_back(note("[nothing was said yet]"));
  if (messages.back()["role"] != "user") messages.push_back(note("[go on]"));
  return messages;
}

Tokens wire_tokens(const Json& messages) {
  Tokens n = 0;
  for (const auto& message : messages) n += tokens_of(message);
  return n;
}

}  // namespace tern::test
