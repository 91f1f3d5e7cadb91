// What a session asks its hooks and what they answer. The turn and the compactor ask a Hooks value; tests
// give it a function of their own. Without hooks it is empty, and asking whether anybody hears an event is
// all it costs. The answers of several hooks are one: deny goes before ask before allow, contexts are joined,
// of changed inputs the last holds. Belongs to the owner's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class HookEvent {
  pre_tool_use,
  post_tool_use,
  post_tool_use_failure,
  permission_request,
  user_prompt_submit,
  session_start,
  session_end,
  stop,
  notification,
  pre_compact,
  post_compact,
  pre_model_switch
};
std::string_view to_string(HookEvent event);  // "PreToolUse"
std::optional<HookEvent> hook_event(std::string_view name);
// What a hook of Claude Code may listen to and tern never says.
bool is_foreign_event(std::string_view name);

struct HookCall {
  HookEvent event = HookEvent::notification;
  std::string subject;  // what matchers see: a tool's name, "auto", "startup"
  std::string fields;   // JSON object: what the event has of its own
  std::function<bool(const std::string& rule)> rule_hits = {};  // for a handler's `if`; not set: it runs
};

enum class HookWord { none, allow, ask, deny };  // the stronger is the greater

struct HookAnswer {
  HookWord word = HookWord::none;     // of PreToolUse and PermissionRequest
  bool blocked = false;               // exit 2, or decision "block"
  std::string reason;                 // of the word or the block, for the model
  std::string by;                     // who said so, for people: "guard.sh (.claude/settings.json)"
  std::optional<std::string> input;   // updatedInput, JSON text
  std::optional<std::string> output;  // updatedToolOutput
  std::string context;                // additionalContext of all of them
  bool ends_turn = false;             // continue: false
  std::string stop_reason;
  bool interrupts = false;               // a refused permission that also ends the turn
  std::string instructions;              // of PreCompact, for the summary
  std::vector<std::string> pin, drop;    // of PreCompact: ids of items
  std::vector<std::string> permissions;  // updatedPermissions of PermissionRequest: a JSON object each
  std::string title;                     // sessionTitle
  std::vector<std::string> variables;    // NAME=value for commands, of CLAUDE_ENV_FILE
};

// The stronger word wins with its reason; everything else is added to `all`.
void join(HookAnswer& all, HookAnswer one);

struct Hooks {
  std::uint32_t heard = 0;  // a bit for each event that has a hook
  std::function<HookAnswer(const HookCall& call, std::stop_token stop)> ask = {};

  bool hear(HookEvent event) const { return (heard & bit(event)) != 0; }
  static constexpr std::uint32_t bit(HookEvent event) { return 1U << static_cast<unsigned>(event); }
};

}  // namespace tern
