// A slash command is one constinit value in ui/command_<name>.cpp and one row in commands.inc; help and completion come
// from the rows. run() is called on the UI thread and must not block: what needs the worker is a Command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Shell;

struct SlashCommand {
  std::string_view name, aliases;  // aliases separated by blanks
  std::string_view usage;          // "[focus]"; empty = no arguments
  std::string_view help;           // one line
  void (*run)(Shell& shell, std::string_view arguments);
  bool while_working = true;                                     // may run during a turn
  std::vector<std::string> (*complete)(Shell& shell) = nullptr;  // values of the first argument
};

const std::vector<const SlashCommand*>& slash_commands();
// By name, alias or unique prefix. Null and a list of what was meant when it is ambiguous or unknown.
const SlashCommand* find_command(std::string_view name, std::vector<std::string_view>& meant);
void run_command(Shell& shell, std::string_view line);  // without the leading '/'

}  // namespace tern
