// Runs one stream() and folds its events, for tests of providers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/models/provider.h"
#include "compression/values/tokens.h"

namespace tern::test {

struct Ran {
  std::string text, thinking;  // deltas; begun anew on Retrying
  std::vector<Block> blocks;
  std::vector<std::string> started;  // names of calls begun
  std::vector<Retrying> retries;
  std::vector<Silence> silences;
  TokenUsage usage;
  std::optional<Finished> finished;
  std::optional<Failed> failed;
  std::size_t events = 0, after_end = 0;

  template <class T>
  std::vector<T> all() const {
    std::vector<T> out;
    for (const Block& block : blocks)
      if (const auto* value = std::get_if<T>(&block)) out.push_back(*value);
    return out;
  }
};

inline Ran run(Provider& provider, const Request& request, std::stop_token stop = {}) {
  Ran ran;
  provider.stream(
      request,
      [&](StreamEvent event) {
        ++ran.events;
        if (ran.finished || ran.failed) ++ran.after_end;
        std::visit(overloaded{[&](TextDelta& delta) { ran.text += delta.text; },
                              [&](ThinkingDelta& delta) { ran.thinking += delta.text; },
                              [&](CallStarted& call) { ran.started.push_back(call.name); },
                              [&](BlockDone& done) { ran.blocks.push_back(std::move(done.block)); },
                              [&](UsageReport& report) { ran.usage = report.usage; },
                              [&](Retrying& retry) {
                                ran.retries.push_back(retry), ran.text.clear(), ran.thinking.clear(),
                                    ran.started.clear();
                              },
                              [&](Silence& silence) { ran.silences.push_back(silence); },
                              [&](Finished& end) { ran.finished = end; },
                              [&](Failed& failure) { ran.failed = failure; }},
                   event);
      },
      stop);
  return ran;
}

inline ItemPtr item(std::uint64_t id, Role role, std::vector<Block> blocks) {
  Item value;
  value.id = {id}, value.role = role, value.blocks = std::move(blocks);
  return make_item(std::move(value));
}

// user: "hi"
inline Request simple_request(std::string text = "hi") {
  Request request;
  request.model = "test-model";
  request.system = "You are tern.";
  request.tools = {
      {"Read", "Reads a file.",
       R"({"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]})"},
      {"Bash", "Runs a command.",
       R"({"type":"object","properties":{"command":{"type":"string"}},"required":["command"]})"}};
  request.conversation.items = {item(1, Role::user, {Text{std::move(text)}})};
  return request;
}

// The next request after an answer: its blocks as the assistant's item, and a result for each call.
inline void continue_with(Request& request, const std::vector<Block>& blocks) {
  const auto id = request.conversation.items.back()->id.value + 1;
  request.conversation.items.push_back(item(id, Role::assistant, blocks));
  std::vector<Block> results;
  for (const Block& block : blocks)
    if (const auto* call = std::get_if<ToolCall>(&block))
      results.push_back(ToolResult{.call_id = call->id,
                                   .tool = call->name,
                                   .text = "result of " + call->id,
                                   .subject = "",
                                   .recall = {}});
  if (results.empty()) results.push_back(Text{"go on"});
  request.conversation.items.push_back(item(id + 1, Role::user, std::move(results)));
}

}  // namespace tern::test
