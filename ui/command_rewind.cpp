#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"rewind", std::string(arguments)}); }

}  // namespace

extern const SlashCommand rewind_command;
constinit const SlashCommand rewind_command{.name = "rewind",
                                            .aliases = "undo restore checkpoint",
                                            .usage = "",
                                            .help = "go back to an earlier prompt; files too if you like",
                                            .run = run,
                                            .while_working = false};

}  // namespace tern
