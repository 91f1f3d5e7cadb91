#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Logout{std::string(arguments)}); }

}  // namespace

SlashCommand logout_command() {
  return {.name = "logout",
          .usage = "[provider]",
          .help = "forget the key of a provider",
          .run = run,
          .while_working = false};
}

}  // namespace tern
