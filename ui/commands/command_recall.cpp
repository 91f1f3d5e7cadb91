#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"recall", std::string(arguments)}); }

}  // namespace

SlashCommand recall_command() {
  return {.name = "recall", .usage = "[r17 | text]", .help = "look up an original by id or text", .run = run};
}

}  // namespace tern
