#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  shell.leave();
}

}  // namespace

SlashCommand exit_command() {
  return {.name = "exit", .aliases = "quit q", .help = "quit (prints usage and how to resume)", .run = run};
}

}  // namespace tern
