#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"permissions", std::string(arguments)}); }

}  // namespace

extern const SlashCommand permissions_command;
constinit const SlashCommand permissions_command{.name = "permissions",
                                                 .aliases = "allowed-tools",
                                                 .usage = "[allow|ask|deny Tool(spec)]",
                                                 .help = "the rules in force",
                                                 .run = run};

}  // namespace tern
