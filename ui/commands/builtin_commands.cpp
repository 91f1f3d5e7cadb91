#include "ui/commands/builtin_commands.h"

namespace tern {

#define COMMAND(name) SlashCommand name##_command();
#include "ui/commands/commands.inc"
#undef COMMAND

CommandSet builtin_commands() {
  CommandSet set;
#define COMMAND(name) set.add(name##_command());
#include "ui/commands/commands.inc"
#undef COMMAND
  return set;
}

}  // namespace tern
