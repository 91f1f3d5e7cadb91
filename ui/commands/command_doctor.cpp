#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"doctor", std::string(arguments)}); }

}  // namespace

SlashCommand doctor_command() {
  return {.name = "doctor", .help = "check terminal, key, provider, store and sandbox", .run = run, .while_working = false};
}

}  // namespace tern
