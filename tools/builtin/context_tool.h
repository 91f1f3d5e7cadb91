// The four context tools only pass on: the agent holds the context and answers in the words the model reads.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/set/tool.h"

namespace tern {

inline ToolOutput ask_context(const char* action, const nlohmann::json& args, ToolContext& ctx) {
  if (!ctx.context) return {.text = "The context cannot be inspected or changed here.", .is_error = true};
  std::string text = ctx.context({.action = action, .arguments = args.dump(), .stop = ctx.stop});
  std::string note = text.substr(0, text.find('\n'));
  return {.text = std::move(text), .note = note.size() <= 60 ? note : ""};
}

inline std::string no_subject(const nlohmann::json&) { return {}; }

}  // namespace tern
