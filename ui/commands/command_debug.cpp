#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"request"}; }

void run(Shell& shell, std::string_view) { shell.send(AskLastRequest{}); }

}  // namespace

SlashCommand debug_command() {
  return {.name = "debug",
          .usage = "[request]",
          .help = "show the last request exactly as sent",
          .run = run,
          .complete = values};
}

}  // namespace tern
