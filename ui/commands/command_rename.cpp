#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.say("which name? /rename <name>");
  shell.send(Sessions{Sessions::What::rename, std::string(arguments)});
}

}  // namespace

extern const SlashCommand rename_command;
constinit const SlashCommand rename_command{
    .name = "rename", .aliases = "", .usage = "<name>", .help = "name this session", .run = run};

}  // namespace tern
