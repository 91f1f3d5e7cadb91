#include "ui/command.h"

#include "ui/shell.h"

namespace tern {

#define COMMAND(name) extern const SlashCommand name##_command;
#include "ui/commands.inc"
#undef COMMAND

const std::vector<const SlashCommand*>& slash_commands() {
  static const std::vector<const SlashCommand*> all = {
#define COMMAND(name) &name##_command,
#include "ui/commands.inc"
#undef COMMAND
  };
  return all;
}

namespace {
bool has_alias(const SlashCommand& command, std::string_view name) {
  return (" " + std::string(command.aliases) + " ").find(" " + std::string(name) + " ") != std::string::npos;
}
bool alias_begins(const SlashCommand& command, std::string_view name) {
  return (" " + std::string(command.aliases)).find(" " + std::string(name)) != std::string::npos;
}
}  // namespace

const SlashCommand* find_command(std::string_view name, std::vector<std::string_view>& meant) {
  std::vector<const SlashCommand*> named, aliased;
  for (const SlashCommand* command : slash_commands()) {
    if (command->name == name || (!name.empty() && has_alias(*command, name))) return command;
    if (name.empty()) continue;
    if (command->name.starts_with(name)) named.push_back(command);
    if (alias_begins(*command, name)) aliased.push_back(command);
  }
  const auto& candidates = named.empty() ? aliased : named;  // a name goes before an alias
  for (const SlashCommand* command : candidates) meant.push_back(command->name);
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

void run_command(Shell& shell, std::string_view line) {
  const std::size_t blank = std::min(line.find_first_of(" \n"), line.size());
  const std::string_view name = line.substr(0, blank);
  std::string_view arguments = line.substr(std::min(line.find_first_not_of(" \n", blank), line.size()));
  while (!arguments.empty() && (arguments.back() == ' ' || arguments.back() == '\n')) arguments.remove_suffix(1);
  std::vector<std::string_view> meant;
  const SlashCommand* command = find_command(name, meant);
  if (!command) {
    std::string text = meant.empty() ? "there is no command /" + std::string(name) + "; /help lists them"
                                     : "/" + std::string(name) + " could be";
    for (const std::string_view other : meant) text += " /" + std::string(other);
    return shell.notice(text, Level::warning);
  }
  if (shell.view.working && !command->while_working)
    return shell.notice("/" + std::string(command->name) + " has to wait for the end of the turn (esc interrupts it)",
                        Level::warning);
  command->run(shell, arguments);
}

}  // namespace tern
