#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  shell.send(Sessions{Sessions::What::fresh, std::string(arguments)});
}

}  // namespace

SlashCommand clear_command() {
  return {.name = "clear",
          .aliases = "new reset",
          .help = "start a new conversation; /resume returns to this one",
          .run = run,
          .while_working = false};
}

}  // namespace tern
