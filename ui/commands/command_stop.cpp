#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(StopJob{std::string(arguments)}); }

}  // namespace

SlashCommand stop_command() {
  return {.name = "stop", .aliases = "kill", .usage = "[id]", .help = "stop background commands", .run = run};
}

}  // namespace tern
