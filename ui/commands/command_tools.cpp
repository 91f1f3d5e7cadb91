#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"tools", std::string(arguments)}); }

}  // namespace

SlashCommand tools_command() { return {.name = "tools", .help = "list the tools the model may use", .run = run}; }

}  // namespace tern
