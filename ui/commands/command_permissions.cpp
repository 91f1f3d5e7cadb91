#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"permissions", std::string(arguments)}); }

}  // namespace

SlashCommand permissions_command() {
  return {.name = "permissions",
          .aliases = "allowed-tools",
          .usage = "[allow|ask|deny Tool(spec) | test COMMAND]",
          .help = "list or add permission rules",
          .run = run};
}

}  // namespace tern
