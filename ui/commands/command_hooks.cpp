#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"hooks", std::string(arguments)}); }

}  // namespace

SlashCommand hooks_command() {
  return {.name = "hooks",
          .usage = "[approve|grant|refuse] [NUMBER|all]",
          .help = "hooks, their last runs, and which may run",
          .run = run};
}

}  // namespace tern
