#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.send(Query{"sessions", ""});
  shell.send(Sessions{Sessions::What::resume, std::string(arguments)});
}

}  // namespace

extern const SlashCommand resume_command;
constinit const SlashCommand resume_command{.name = "resume",
                                            .aliases = "sessions continue",
                                            .usage = "[id | text]",
                                            .help = "go on with an earlier conversation",
                                            .run = run,
                                            .while_working = false};

}  // namespace tern
