#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"tasks", std::string(arguments)}); }

}  // namespace

SlashCommand tasks_command() {
  return {.name = "tasks", .aliases = "ps shells jobs", .help = "list background commands", .run = run};
}

}  // namespace tern
