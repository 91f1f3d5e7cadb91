#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  shell.send(Sessions{Sessions::What::fork, std::string(arguments)});
}

}  // namespace

SlashCommand fork_command() {
  return {.name = "fork",
          .aliases = "branch",
          .usage = "[name]",
          .help = "continue in a copy of this conversation",
          .run = run,
          .while_working = false};
}

}  // namespace tern
