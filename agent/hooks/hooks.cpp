#include "agent/hooks/hooks.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tern {
namespace {

struct EventName {
  HookEvent event;
  std::string_view name;
};
constexpr EventName kNames[] = {{HookEvent::pre_tool_use, "PreToolUse"},
                                {HookEvent::post_tool_use, "PostToolUse"},
                                {HookEvent::post_tool_use_failure, "PostToolUseFailure"},
                                {HookEvent::permission_request, "PermissionRequest"},
                                {HookEvent::user_prompt_submit, "UserPromptSubmit"},
                                {HookEvent::session_start, "SessionStart"},
                                {HookEvent::session_end, "SessionEnd"},
                                {HookEvent::stop, "Stop"},
                                {HookEvent::notification, "Notification"},
                                {HookEvent::pre_compact, "PreCompact"},
                                {HookEvent::post_compact, "PostCompact"},
                                {HookEvent::pre_model_switch, "PreModelSwitch"}};
constexpr std::string_view kForeign[] = {
    "PostToolBatch",    "PermissionDenied",   "UserPromptExpansion", "Setup",          "StopFailure",
    "SubagentStart",    "SubagentStop",       "PostModelSwitch",     "MessageDisplay", "ConfigChange",
    "CwdChanged",       "InstructionsLoaded", "FileChanged",         "DirectoryAdded", "WorktreeCreate",
    "TeammateIdle",     "WorktreeRemove",     "TaskCreated",         "TaskCompleted",  "Elicitation",
    "ElicitationResult"};

void add_text(std::string& all, const std::string& more) {
  if (more.empty()) return;
  if (!all.empty()) all += "\n\n";
  all += more;
}

void add_ids(std::vector<std::string>& all, std::vector<std::string>& more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

std::string_view to_string(HookEvent event) { return kNames[static_cast<std::size_t>(event)].name; }

std::optional<HookEvent> hook_event(std::string_view name) {
  for (const EventName& row : kNames)
    if (row.name == name) return row.event;
  return std::nullopt;
}

bool is_foreign_event(std::string_view name) {
  return std::find(std::begin(kForeign), std::end(kForeign), name) != std::end(kForeign);
}

void join(HookAnswer& all, HookAnswer one) {
  const bool stronger = one.word > all.word || (one.blocked && !all.blocked);
  if (stronger) {
    all.reason = std::move(one.reason);
    all.by = std::move(one.by);
  } else if (one.blocked || (one.word != HookWord::none && one.word == all.word)) {
    add_text(all.reason, one.reason);
  }
  all.word = std::max(all.word, one.word);
  all.blocked |= one.blocked;
  all.interrupts |= one.interrupts;
  if (one.input) all.input = std::move(one.input);
  if (one.output) all.output = std::move(one.output);
  add_text(all.context, one.context);
  if (one.ends_turn && !std::exchange(all.ends_turn, true)) {
    all.stop_reason = std::move(one.stop_reason);
    if (all.by.empty()) all.by = std::move(one.by);
  }
  add_text(all.instructions, one.instructions);
  add_ids(all.pin, one.pin);
  add_ids(all.drop, one.drop);
  add_ids(all.permissions, one.permissions);
  if (!one.title.empty()) all.title = std::move(one.title);
  add_ids(all.variables, one.variables);
}

}  // namespace tern
