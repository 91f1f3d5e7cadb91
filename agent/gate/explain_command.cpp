#include "agent/gate/explain_command.h"

#include <algorithm>

#include "agent/gate/command_needs.h"

namespace tern {

namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text + "  ";
}

std::string account_of(const CommandStep& step, const Workspace& workspace) {
  const Need need = needed({step}, workspace);
  if (!need.why.empty()) return need.why;
  if (step.lost) return "runs in a folder that tern can't tell in advance";
  if (step.command->words.empty()) return "sets variables or redirects";
  const std::string why = why_not_harmless(bare(*step.command), {workspace, step.cwd});
  if (why.empty() && step.command->plain()) return "read-only";
  return why.empty() ? "reads files that are not known until it runs" : why;
}

std::string decision_text(const Decision& decision) {
  constexpr const char* reaches[] = {"runs", "runs in a look-only sandbox",
                                     "is tried in a look-only sandbox and asks at its wall",
                                     "runs in the sandbox", "runs in the sandbox with .git writable"};
  if (const auto* allow = std::get_if<Allow>(&decision))
    return std::string(reaches[static_cast<int>(allow->reach)]) + ": " + allow->reason;
  if (const auto* ask = std::get_if<Ask>(&decision)) return "asks: " + ask->reason;
  return "is blocked: " + std::get<Deny>(decision).reason;
}

}  // namespace

std::string explain_command(PermissionPolicy policy, std::string_view command, const Workspace& workspace) {
  const ShellScript script = parse_shell(command);
  const auto steps = steps_of(script, command, workspace);
  std::size_t width = 0;
  for (const CommandStep& step : steps)
    width = std::max(width, std::min<std::size_t>(step.command->source.size(), 40));
  std::string text;
  for (const CommandStep& step : steps) {
    std::string source = step.command->source.substr(0, step.command->source.find('\n'));
    if (source.size() > 40) source = source.substr(0, 37) + "...";
    text += padded(source, width) + account_of(step, workspace) + "\n";
  }
  if (!script.error.empty()) text += "The rest cannot be read: " + script.error + "\n";
  text += "\n";
  policy.bypass_by_flag = true;
  for (const PermissionMode mode : {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::plan,
                                    PermissionMode::automatic, PermissionMode::bypass}) {
    if (mode == PermissionMode::automatic && !policy.sandbox_ready) continue;
    policy.mode = mode;
    text += padded(std::string(to_string(mode)), 12) +
            decision_text(decide_command(policy, command, workspace)) + "\n";
  }
  if (!policy.sandbox_ready) text += "There is no sandbox here, so auto mode is not offered.\n";
  return text;
}

}  // namespace tern
