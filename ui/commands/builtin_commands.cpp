#include "ui/commands/builtin_commands.h"

#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"

namespace tern {

#define COMMAND(name) SlashCommand name##_command();
#define ASKS(name, aliases, usage, help)
#define ASKS_BETWEEN_TURNS(name, aliases, usage, help)
#include "ui/commands/commands.inc"
#undef COMMAND
#undef ASKS
#undef ASKS_BETWEEN_TURNS

namespace {

SlashCommand asking(const char* name, const char* aliases, const char* usage, const char* help,
                    bool while_working) {
  SlashCommand command{.name = name,
                       .aliases = aliases,
                       .usage = usage,
                       .help = help,
                       .run = {},
                       .while_working = while_working};
  command.run = [question = std::string(name)](Shell& shell, std::string_view arguments) {
    shell.send(asked_words(question, arguments));
  };
  return command;
}

}  // namespace

CommandSet builtin_commands() {
  CommandSet set;
#define COMMAND(name) set.add(name##_command());
#define ASKS(name, aliases, usage, help) set.add(asking(#name, aliases, usage, help, true));
#define ASKS_BETWEEN_TURNS(name, aliases, usage, help) set.add(asking(#name, aliases, usage, help, false));
#include "ui/commands/commands.inc"
#undef COMMAND
#undef ASKS
#undef ASKS_BETWEEN_TURNS
  return set;
}

}  // namespace tern
