#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"rewind", std::string(arguments)}); }

}  // namespace

SlashCommand rewind_command() {
  return {.name = "rewind",
          .aliases = "undo restore checkpoint",
          .help = "go back to an earlier prompt, with or without files",
          .run = run,
          .while_working = false};
}

}  // namespace tern
