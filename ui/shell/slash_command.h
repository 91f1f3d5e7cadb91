// A slash command is a value: the built-in ones are made by a file each (ui/commands), others come at run
// time. Help and completion come from the set. run() is called on the UI thread and must not block: what
// needs the worker is a Command.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct CommandList;
struct Shell;

struct SlashCommand {
  std::string name, aliases;  // aliases separated by blanks
  std::string usage;          // "[focus]"; empty = no arguments
  std::string help;           // one line
  std::function<void(Shell& shell, std::string_view arguments)> run;
  bool while_working = true;                                            // may run during a turn
  std::function<std::vector<std::string>(Shell& shell)> complete = {};  // values of the first argument
  std::string source = {};  // the file it is from; empty = built in
};

class CommandSet {
 public:
  void add(SlashCommand command);  // takes the place of one of the same name
  bool remove(std::string_view name);
  // By name, alias or unique prefix. Null and a list of what was meant when it is ambiguous or unknown. Good
  // until the set changes.
  const SlashCommand* find(std::string_view name, std::vector<std::string>& meant) const;

  auto begin() const { return commands_.begin(); }
  auto end() const { return commands_.end(); }

 private:
  std::vector<SlashCommand> commands_;
};

void run_command(Shell& shell, std::string_view line);  // without the leading '/'
// Puts these in place of the ones brought along before. One that has the name of a built-in command gets a
// longer one, and that is said.
void take_brought(Shell& shell, const CommandList& list);

}  // namespace tern
