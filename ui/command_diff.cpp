#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"diff", std::string(arguments)}); }

}  // namespace

extern const SlashCommand diff_command;
constinit const SlashCommand diff_command{
    .name = "diff", .aliases = "", .usage = "", .help = "what changed in the files since the session began", .run = run};

}  // namespace tern
