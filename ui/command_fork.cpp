#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Sessions{Sessions::What::fork, std::string(arguments)}); }

}  // namespace

extern const SlashCommand fork_command;
constinit const SlashCommand fork_command{.name = "fork",
                                          .aliases = "branch",
                                          .usage = "[name]",
                                          .help = "go on in a copy of this conversation",
                                          .run = run,
                                          .while_working = false};

}  // namespace tern
