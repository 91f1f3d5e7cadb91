#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  shell.toggle_todos();
}

}  // namespace

SlashCommand todos_command() {
  return {.name = "todos", .aliases = "todo", .help = "show or hide the task list", .run = run};
}

}  // namespace tern
