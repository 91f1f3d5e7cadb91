#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"config", std::string(arguments)}); }

}  // namespace

extern const SlashCommand config_command;
constinit const SlashCommand config_command{.name = "config",
                                            .aliases = "settings",
                                            .usage = "[key [value]]",
                                            .help = "the values in force and where each came from",
                                            .run = run};

}  // namespace tern
