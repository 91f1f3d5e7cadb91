#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"memory", std::string(arguments)}); }

}  // namespace

SlashCommand memory_command() { return {.name = "memory", .help = "list the memory files in use and their size", .run = run}; }

}  // namespace tern
