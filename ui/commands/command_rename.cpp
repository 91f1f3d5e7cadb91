#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.say("which name? /rename <name>");
  shell.send(Sessions{Sessions::What::rename, std::string(arguments)});
}

}  // namespace

SlashCommand rename_command() {
  return {.name = "rename", .usage = "<name>", .help = "name this session", .run = run};
}

}  // namespace tern
