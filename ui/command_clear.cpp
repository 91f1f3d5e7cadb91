#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Sessions{Sessions::What::fresh, std::string(arguments)}); }

}  // namespace

extern const SlashCommand clear_command;
constinit const SlashCommand clear_command{.name = "clear",
                                           .aliases = "new reset",
                                           .usage = "",
                                           .help = "start a new conversation; this one stays resumable",
                                           .run = run,
                                           .while_working = false};

}  // namespace tern
