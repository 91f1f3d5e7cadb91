#include "ui/shell/slash_command.h"

#include <algorithm>

#include "ui/shell/shell.h"

namespace tern {

namespace {

bool has_alias(const SlashCommand& command, std::string_view name) {
  return (" " + command.aliases + " ").find(" " + std::string(name) + " ") != std::string::npos;
}

bool alias_begins(const SlashCommand& command, std::string_view name) {
  return (" " + command.aliases).find(" " + std::string(name)) != std::string::npos;
}

}  // namespace

void CommandSet::add(SlashCommand command) {
  for (auto& old : commands_)
    if (old.name == command.name) return void(old = std::move(command));
  commands_.push_back(std::move(command));
}

bool CommandSet::remove(std::string_view name) {
  return std::erase_if(commands_, [&](const SlashCommand& command) { return command.name == name; }) > 0;
}

const SlashCommand* CommandSet::find(std::string_view name, std::vector<std::string>& meant) const {
  std::vector<const SlashCommand*> named, aliased;
  for (const SlashCommand& command : commands_) {
    if (command.name == name || (!name.empty() && has_alias(command, name))) return &command;
    if (name.empty()) continue;
    if (command.name.starts_with(name)) named.push_back(&command);
    if (alias_begins(command, name)) aliased.push_back(&command);
  }
  const auto& candidates = named.empty() ? aliased : named;  // a name goes before an alias
  for (const SlashCommand* command : candidates) meant.push_back(command->name);
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

namespace {

SlashCommand slash_of(const BroughtCommand& brought, std::string name) {
  const auto run = [brought](Shell& shell, std::string_view arguments) {
    shell.send(RunCommand{brought.name, std::string(arguments)});
  };
  return {.name = std::move(name),
          .aliases = {},
          .usage = brought.usage,
          .help = brought.help + " · " + brought.source,
          .run = run,
          .while_working = false,
          .source = brought.source};
}

bool built_in(const CommandSet& set, std::string_view name) {
  return std::any_of(set.begin(), set.end(), [&](const SlashCommand& command) {
    return command.source.empty() && (command.name == name || has_alias(command, name));
  });
}

}  // namespace

void take_brought(Shell& shell, const CommandList& list) {
  std::vector<std::string> gone;
  for (const SlashCommand& command : shell.slash)
    if (!command.source.empty()) gone.push_back(command.name);
  for (const std::string& name : gone) shell.slash.remove(name);
  for (const BroughtCommand& brought : list.commands) {
    const bool clash = built_in(shell.slash, brought.name);
    const std::string name =
        clash ? (brought.of_project ? "project:" : "user:") + brought.name : brought.name;
    shell.slash.add(slash_of(brought, name));
    if (clash) shell.notice("/" + brought.name + " is built in. " + brought.source + " is /" + name + ".");
  }
}

constexpr std::int64_t read_ms = 5'000;  // a mistake is told where one types, and goes by itself

void run_command(Shell& shell, std::string_view line) {
  const std::size_t blank = std::min(line.find_first_of(" \n"), line.size());
  const std::string_view name = line.substr(0, blank);
  std::string_view arguments = line.substr(std::min(line.find_first_not_of(" \n", blank), line.size()));
  while (!arguments.empty() && (arguments.back() == ' ' || arguments.back() == '\n'))
    arguments.remove_suffix(1);
  std::vector<std::string> meant;
  const SlashCommand* command = shell.slash.find(name, meant);
  // Until the session is open its own commands are not known here: the owner says whether there is one of
  // that name.
  const bool opening = shell.view.openings == 0;
  if (!command && meant.empty() && opening)
    return shell.send(RunCommand{std::string(name), std::string(arguments)});
  if (!command) {
    std::string text = meant.empty() ? "no command /" + std::string(name) + " · /help list them"
                                     : "/" + std::string(name) + " could be";
    for (const std::string& other : meant) text += " /" + other;
    return shell.say(std::move(text), read_ms);
  }
  if (shell.view.working && !command->while_working)
    return shell.say("/" + command->name + " must wait until the turn ends · esc interrupt", read_ms);
  const auto run = command->run;  // it may change the set
  run(shell, arguments);
}

}  // namespace tern
