#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.send(AskSessions{});
  shell.send(Sessions{Sessions::What::resume, std::string(arguments)});
}

}  // namespace

SlashCommand resume_command() {
  return {.name = "resume",
          .aliases = "sessions continue",
          .usage = "[id | text]",
          .help = "continue an earlier conversation",
          .run = run,
          .while_working = false};
}

}  // namespace tern
