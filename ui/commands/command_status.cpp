#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"status", std::string(arguments)}); }

}  // namespace

SlashCommand status_command() {
  return {.name = "status", .help = "show version, model, folder, session and sandbox", .run = run};
}

}  // namespace tern
