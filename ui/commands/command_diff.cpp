#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"diff", std::string(arguments)}); }

}  // namespace

SlashCommand diff_command() { return {.name = "diff", .help = "show file changes since the session began", .run = run}; }

}  // namespace tern
