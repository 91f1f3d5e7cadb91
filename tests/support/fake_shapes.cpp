// The message-shape rules of the services, written from what they refuse in the field.
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/fake_llm.h"

namespace tern::test {
namespace {

using nlohmann::json;

class Rules {
 public:
  std::vector<std::string> problems;
  void expect(bool holds, const std::string& problem) {
    if (!holds) problems.push_back(problem);
  }

 protected:
  static std::string text(const json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : "";
  }
  static bool blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; }
  static bool good_id(const std::string& id) {
    return !id.empty() && id.size() <= 64 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               id.npos;
  }
  static json list(const json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_array() ? *it : json::array();
  }
};

class AnthropicRules : public Rules {
 public:
  void check(const json& body) {
    const json messages = list(body, "messages");
    expect(body.value("max_tokens", 0) > 0, "max_tokens is missing");
    expect(!messages.empty() && text(messages[0], "role") == "user", "the first message must be the user's");
    std::set<std::string> open;
    bool calls = false;
    for (const json& message : messages) {
      const json blocks = list(message, "content");
      const bool assistant = text(message, "role") == "assistant";
      expect(!blocks.empty(), "a message has no content");
      expect(assistant ? open.empty() : true,
             "`tool_use` ids were found without `tool_result` blocks immediately after");
      if (!assistant) results(blocks, open);
      open.clear();
      const bool thoughts = std::any_of(blocks.begin(), blocks.end(),
                                        [](const json& block) { return block.contains("signature"); });
      for (const json& block : blocks) check_block(block, assistant, thoughts, open);
      calls |= !open.empty();
    }
    expect(open.empty(), "the last message leaves `tool_use` without `tool_result`");
    expect(!calls || body.contains("tools"), "tool blocks in messages need `tools`");
    deferred(list(body, "tools"));
    expect(markers_ <= 4, "more than four cache markers");
    for (const json& block : list(body, "system")) {
      expect(!blank(text(block, "text")), "system: text content blocks must be non-empty");
      markers_ += block.contains("cache_control");
    }
    thinking(body, messages);
  }

 private:
  void results(const json& blocks, std::set<std::string>& open) {
    bool others = false;
    std::set<std::string> given;
    for (const json& block : blocks) {
      if (text(block, "type") != "tool_result") {
        others = true;
        continue;
      }
      const std::string id = text(block, "tool_use_id");
      expect(!others, "tool_result blocks must come first");
      expect(open.count(id) == 1, "unexpected `tool_use_id` found in `tool_result` blocks: " + id);
      expect(given.insert(id).second, "two tool_result blocks for " + id);
      open.erase(id);
    }
    expect(open.empty(), "`tool_use` ids were found without `tool_result` blocks immediately after");
  }

  void check_block(const json& block, bool assistant, bool thoughts, std::set<std::string>& open) {
    const std::string type = text(block, "type");
    markers_ += block.contains("cache_control");
    for (const json& part : list(block, "content")) {
      expect(text(part, "type") == text(block["content"][0], "type"), "tool references beside other content");
      if (text(part, "type") == "tool_reference") referenced_.insert(text(part, "tool_name"));
    }
    if (type == "text") expect(!blank(text(block, "text")), "text content blocks must be non-empty");
    if (type == "tool_use") {
      expect(assistant, "tool_use in a user message");
      expect(good_id(text(block, "id")), "tool_use id does not match the pattern: " + text(block, "id"));
      expect(block.contains("input") && block["input"].is_object(), "tool_use input must be an object");
      open.insert(text(block, "id"));
    } else if (assistant && !open.empty() && !thoughts && type != "thinking") {
      expect(false, "a block after tool_use in an assistant message");
    }
    if (type == "thinking") {
      expect(!text(block, "signature").empty(), "a thinking block without signature");
      expect(!block.contains("cache_control"), "a cache marker on a thinking block");
    }
  }

  void deferred(const json& tools) {
    std::set<std::string> names;
    for (const json& tool : tools) {
      const bool late = tool.value("defer_loading", false);
      expect(!late || !tool.contains("cache_control"),
             "a tool cannot have both defer_loading and cache_control");
      if (late) names.insert(text(tool, "name"));
      markers_ += tool.contains("cache_control");
    }
    for (const std::string& name : referenced_)
      expect(names.contains(name), "Tool reference '" + name + "' not found in available tools");
    expect(tools.empty() || names.size() < tools.size(), "at least one tool must not be deferred");
  }

  void thinking(const json& body, const json& messages) {
    if (!body.contains("thinking") || body["thinking"].value("type", "") != "enabled") return;
    expect(body["thinking"].value("budget_tokens", 0) < body.value("max_tokens", 0),
           "budget_tokens must be below max_tokens");
    for (auto it = messages.rbegin(); it != messages.rend(); ++it) {
      if (text(*it, "role") != "assistant") continue;
      const json blocks = list(*it, "content");
      const bool calls = std::any_of(blocks.begin(), blocks.end(),
                                     [](const json& block) { return text(block, "type") == "tool_use"; });
      const std::string first = blocks.empty() ? "" : text(blocks[0], "type");
      return expect(!calls || first == "thinking" || first == "redacted_thinking",
                    "expected `thinking`, but found `tool_use`");
    }
  }

  int markers_ = 0;
  std::set<std::string> referenced_;
};

class ChatRules : public Rules {
 public:
  void check(const json& body) {
    std::set<std::string> open;
    for (const json& message : list(body, "messages")) {
      const std::string role = text(message, "role");
      if (role == "tool") {
        expect(open.erase(text(message, "tool_call_id")) == 1,
               "a tool message answers no call: " + text(message, "tool_call_id"));
        expect(!blank(text(message, "content")), "an empty tool message");
        continue;
      }
      expect(open.empty(),
             "an assistant message with 'tool_calls' must be followed by tool messages responding to each "
             "'tool_call_id'");
      open.clear();
      const bool has_text =
          message.contains("content") &&
          (message["content"].is_array() ? !message["content"].empty()
                                         : message["content"].is_string() && !blank(message["content"]));
      expect(has_text || message.contains("tool_calls"), "an empty " + role + " message");
      for (const json& call : list(message, "tool_calls")) {
        const json function = call.value("function", json::object());
        expect(json::parse(text(function, "arguments"), nullptr, false).is_object(),
               "call arguments are not an object");
        expect(good_id(text(call, "id")), "call id does not match the pattern");
        open.insert(text(call, "id"));
      }
    }
    expect(open.empty(), "the last message leaves tool_calls without tool messages");
  }
};

class ResponsesRules : public Rules {
 public:
  void check(const json& body) {
    std::set<std::string> open;
    const json input = list(body, "input");
    for (std::size_t i = 0; i < input.size(); ++i) {
      const std::string type = text(input[i], "type");
      if (type == "function_call" || type == "tool_search_call") open.insert(text(input[i], "call_id"));
      if (type == "tool_search_call")
        expect(input[i].contains("arguments") && input[i]["arguments"].is_object(),
               "search arguments are no object");
      if (type == "tool_search_output") {
        expect(open.erase(text(input[i], "call_id")) == 1, "No tool search call found for its output");
        expect(input[i].contains("tools") && input[i]["tools"].is_array(), "a search output without tools");
      }
      if (type == "function_call_output") {
        expect(open.erase(text(input[i], "call_id")) == 1,
               "No tool call found for function call output with call_id " + text(input[i], "call_id"));
        expect(!text(input[i], "output").empty(), "an empty function_call_output");
      }
      if (type == "reasoning")
        expect(i + 1 < input.size() && text(input[i + 1], "type") != "function_call_output" &&
                   text(input[i + 1], "type") != "tool_search_output" && text(input[i + 1], "role") != "user",
               "reasoning without its required following item");
      for (const json& part : list(input[i], "content"))
        if (part.contains("text")) expect(!blank(text(part, "text")), "an empty text part");
    }
    expect(open.empty(), "No tool output found for function call " + (open.empty() ? "" : *open.begin()));
  }
};

class GeminiRules : public Rules {
 public:
  void check(const json& body) {
    std::size_t calls = 0;
    std::string before;
    const json contents = list(body, "contents");
    expect(!contents.empty() && text(contents[0], "role") == "user", "the first content must be the user's");
    for (const json& content : contents) {
      const std::string role = text(content, "role");
      expect(role != before, "two contents of role " + role + " in a row");
      std::size_t asked = 0, answered = 0;
      for (const json& part : list(content, "parts")) {
        asked += part.contains("functionCall"), answered += part.contains("functionResponse");
        if (part.contains("text")) expect(!text(part, "text").empty(), "an empty text part");
      }
      expect(!list(content, "parts").empty(), "a content without parts");
      expect(role == "user" ? answered == calls : true,
             "function response parts must equal the function call parts of the function call turn");
      calls = role == "model" ? asked : 0;
      before = role;
    }
    expect(calls == 0, "the last turn leaves function calls without responses");
  }
};

template <class T>
std::vector<std::string> run(const json& body) {
  T rules;
  rules.check(body);
  return rules.problems;
}

}  // namespace

std::vector<std::string> shape_problems(std::string_view api, std::string_view text) {
  const json body = json::parse(text, nullptr, false);
  if (!body.is_object()) return {"the body is not a JSON object"};
  if (api == "anthropic") return run<AnthropicRules>(body);
  if (api == "chat") return run<ChatRules>(body);
  if (api == "responses") return run<ResponsesRules>(body);
  if (api == "gemini") return run<GeminiRules>(body);
  return {};
}

}  // namespace tern::test
