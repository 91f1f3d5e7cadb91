#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"cost", std::string(arguments)}); }

}  // namespace

SlashCommand cost_command() {
  return {.name = "cost", .aliases = "usage stats", .help = "show tokens and dollars of this session", .run = run};
}

}  // namespace tern
