#include "agent/turn/turn_hooks.h"

#include <nlohmann/json.hpp>

namespace tern {
namespace {

using nlohmann::json;

std::string text_of(const json& fields) {
  return fields.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string prompt_refused(Agent& agent, const Submit& input, std::stop_token stop) {
  const auto& hooks = agent.hands.hooks;
  if (!hooks.hear(HookEvent::user_prompt_submit)) return {};
  const auto& prompt = input.typed.empty() ? input.text : input.typed;
  const auto answer =
      hooks.ask({HookEvent::user_prompt_submit, {}, text_of({{"prompt", prompt}, {"source", "user"}})}, stop);
  if (answer.blocked || answer.ends_turn) {
    const auto& why = answer.blocked ? answer.reason : answer.stop_reason;
    return "The hook " + answer.by + " refused the prompt" + (why.empty() ? "." : ": " + why);
  }
  if (!answer.context.empty()) agent.hands.notes.push("[A hook adds to the prompt:]\n" + answer.context);
  return {};
}

std::string goes_on_for(Agent& agent, StopHooks& state, const std::string& last_words, std::stop_token stop) {
  const auto& hooks = agent.hands.hooks;
  if (!hooks.hear(HookEvent::stop)) return {};
  const json fields{{"stop_hook_active", state.blocks > 0},
                    {"last_assistant_message", last_words},
                    {"background_tasks", json::array()},
                    {"session_crons", json::array()}};
  const auto answer = hooks.ask({HookEvent::stop, {}, text_of(fields)}, stop);
  if (answer.ends_turn || stop.stop_requested()) return {};
  std::string words = answer.blocked ? answer.reason : std::string();
  if (!answer.context.empty()) words += (words.empty() ? "" : "\n\n") + answer.context;
  if (words.empty() && answer.blocked) words = "Go on.";
  if (words.empty()) return {};
  if (++state.blocks > StopHooks::most_blocks) {
    agent.emit(Notice{Level::warning, "Stop hooks kept this turn going " +
                                          std::to_string(StopHooks::most_blocks) + " times; now it ends."});
    return {};
  }
  return "[A hook wants you to go on: " + words + "]";
}

}  // namespace tern
