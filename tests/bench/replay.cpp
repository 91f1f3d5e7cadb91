// replay --in PREFIX.jsonl --window W --target TOKENS --out COMPACTED.json [--policy NAME]
// Reads a recorded prefix, compresses it as the product would, and writes what the model would be sent next, with the
// recall ids and the pause. Tokens of the caller are characters / 4; they calibrate our estimate as an API's report does.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compression/tokens.h"
#include "tests/bench/replay_policy.h"

namespace {

using tern::Conversation;
using Json = nlohmann::ordered_json;

struct Session {
  Conversation conversation;
  std::map<std::uint32_t, Json> recall;  // id -> [[message, block], …]
  tern::Tokens tokens = 0;               // of the caller
};

tern::Tokens quarter(std::string_view text) {
  tern::Tokens n = 0;
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
  const auto& content = block.at("content");
  if (content.is_string()) return content;
  std::string out;
  for (const auto& part : content) out += part.value("text", "");
  return out;
}

tern::Tokens tokens_of(const Json& message) {
  tern::Tokens n = 4;
  for (const auto& block : message.at("content")) {
    const std::string type = block.at("type");
    if (type == "text")
      n += quarter(block.at("text").get<std::string>());
    else if (type == "tool_result")
      n += quarter(text_of(block));
    else
      n += quarter(block.at("name").get<std::string>()) +
           quarter(block.at("input").dump() + std::string(separators(block.at("input")), ' '));
  }
  return n;
}

std::string subject_of(const Json& input) {
  if (!input.is_object()) return {};
  for (const char* key : {"file_path", "command", "cmd", "pattern", "path", "url", "query"}) {
    if (input.contains(key) && input[key].is_string()) return input[key];
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const std::string& path) : in_(path) {}

  Session run() {
    for (std::string line; std::getline(in_, line);) {
      const auto message = Json::parse(line);
      if (message.at("type") == "message") take(message);
    }
    return std::move(session_);
  }

 private:
  // One item for each origin in a message: results, what a harness wrote, what the person wrote.
  void take(const Json& message) {
    session_.tokens += tokens_of(message);
    const bool assistant = message.at("role") == "assistant", human = message.value("origin", "") == "human";
    item_ = {};
    std::size_t j = 0;
    for (const auto& block : message.at("content")) {
      const bool synthetic = !assistant && block.at("type") == "text" && (!human || block.value("origin", "") == "harness");
      if (item_.id == tern::ItemId{} || (!assistant && (block.at("type") == "text") != text_) || item_.synthetic != synthetic)
        begin(message, synthetic);
      text_ = block.at("type") == "text";
      item_.blocks.push_back(read(block, j));
      if (block.at("type") != "tool_result") session_.recall[item_.recall.value].push_back({message_, j});
      ++j;
    }
    end();
    ++message_;
  }

  void begin(const Json& message, bool synthetic) {
    end();
    item_.id = {++id_};
    item_.role = message.at("role") == "user" ? tern::Role::user : tern::Role::assistant;
    item_.synthetic = synthetic;
    item_.recall = {static_cast<std::uint32_t>(id_)};
    if (message.contains("ts") && message["ts"].is_number()) {
      item_.when = tern::TimePoint(std::chrono::milliseconds(static_cast<std::int64_t>(message["ts"].get<double>() * 1000)));
    }
  }

  void end() {
    if (!item_.blocks.empty()) session_.conversation.items.push_back(tern::make_item(std::move(item_)));
    item_ = {};
  }

  tern::Block read(const Json& block, std::size_t j) {
    const std::string type = block.at("type");
    if (type == "text" && block.value("summary", false)) return tern::Summary{block.at("text"), {}};
    if (type == "text") return tern::Text{block.at("text")};
    if (type == "tool_use") {
      calls_[block.at("id")] = {block.at("name"), subject_of(block.at("input"))};
      return tern::ToolCall{block.at("id"), block.at("name"), block.at("input").dump(), {}};
    }
    tern::ToolResult result;
    result.call_id = block.at("tool_use_id");
    std::tie(result.tool, result.subject) = calls_[result.call_id];
    result.text = text_of(block);
    result.is_error = block.value("is_error", false);
    result.recall = {static_cast<std::uint32_t>(id_ + 10'000 * (j + 1))};
    session_.recall[result.recall.value] = Json::array({Json::array({message_, j})});
    return result;
  }

  std::ifstream in_;
  Session session_;
  std::map<std::string, std::pair<std::string, std::string>> calls_;
  std::uint64_t id_ = 0;
  std::size_t message_ = 0;
  tern::Item item_;
  bool text_ = false;
};

Json write(const tern::Block& block) {
  return std::visit(
      tern::overloaded{
          [](const tern::Text& b) {
            return Json{{"type", "text"}, {"text", b.text}};
          },
          [](const tern::Summary& b) {
            return Json{{"type", "text"}, {"text", b.text}, {"summary", true}};
          },
          [](const tern::ToolCall& b) {
            return Json{{"type", "tool_use"}, {"id", b.id}, {"name", b.name}, {"input", Json::parse(b.arguments)}};
          },
          [](const tern::ToolResult& b) {
            return Json{{"type", "tool_result"}, {"tool_use_id", b.call_id}, {"content", b.text}, {"is_error", b.is_error}};
          },
          [](const auto&) {
            return Json{{"type", "text"}, {"text", "[attachment]"}};
          },
      },
      block);
}

// The wire form: neighbours of one role are one message, results before other text.
Json write(const Conversation& conversation) {
  Json messages = Json::array();
  for (const auto& item : conversation.items) {
    const std::string role = item->role == tern::Role::assistant ? "assistant" : "user";
    if (messages.empty() || messages.back()["role"] != role) messages.push_back({{"role", role}, {"content", Json::array()}});
    auto& message = messages.back();
    if (item->role == tern::Role::user && !item->synthetic && !std::holds_alternative<tern::ToolResult>(item->blocks[0]))
      message["origin"] = "human";
    for (const auto& block : item->blocks) {
      message["content"].push_back(write(block));
      if (item->synthetic) message["content"].back()["origin"] = "harness";
    }
  }
  return messages;
}

tern::Tokens tokens_of_all(const Json& messages) {
  tern::Tokens n = 0;
  for (const auto& message : messages) n += tokens_of(message);
  return n;
}

int run(const std::map<std::string, std::string>& options) {
  const auto session = Reader(options.at("--in")).run();
  const tern::Tokens window = std::stoll(options.at("--window")), target = std::stoll(options.at("--target"));
  const auto policy = options.count("--policy") ? options.at("--policy") : std::string("plan");
  const double factor = static_cast<double>(session.tokens) / static_cast<double>(tern::count(session.conversation));
  Json messages;
  double pause = 0, aim = static_cast<double>(target) * 0.99;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const auto begin = std::chrono::steady_clock::now();
    const auto after = tern::bench::compress(policy, session.conversation, window, static_cast<tern::Tokens>(aim), factor);
    pause = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    messages = write(after);
    const auto tokens = tokens_of_all(messages);
    if (tokens <= target) break;
    aim *= 0.995 * static_cast<double>(target) / static_cast<double>(tokens);
  }
  Json recall = Json::object();
  for (const auto& [id, places] : session.recall) recall["r" + std::to_string(id)] = places;
  std::ofstream(options.at("--out")) << Json{{"cut", session.conversation.items.size()},
                                             {"messages", messages},
                                             {"recall", recall},
                                             {"pause_ms", pause},
                                             {"llm_calls", Json::array()}};
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (!options.count("--in") || !options.count("--out") || !options.count("--window") || !options.count("--target")) {
    std::cerr << "usage: replay --in PREFIX.jsonl --window W --target TOKENS --out COMPACTED.json [--policy NAME]\n";
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::cerr << "replay: " << options["--in"] << ": " << e.what() << "\n";
    return 1;
  }
}
