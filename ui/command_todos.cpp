#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  shell.toggle_todos();
}

}  // namespace

extern const SlashCommand todos_command;
constinit const SlashCommand todos_command{
    .name = "todos", .aliases = "todo", .usage = "", .help = "show or hide the todo list", .run = run};

}  // namespace tern
