#include "ui/shell/login.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell& shell) { return shell.deps.keyed; }

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.send(AskLogin{});
  for (const std::string& known : values(shell))
    if (known == arguments) return open_key_entry(shell, known);
  shell.say("/login takes the name of a provider, never a key: what you type here is kept in the history",
            8'000);
}

}  // namespace

SlashCommand login_command() {
  return {.name = "login",
          .usage = "[provider]",
          .help = "add a key, or use a server on this machine",
          .run = run,
          .while_working = false,
          .complete = values};
}

}  // namespace tern
