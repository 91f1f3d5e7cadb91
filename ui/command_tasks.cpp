#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"tasks", std::string(arguments)}); }

}  // namespace

extern const SlashCommand tasks_command;
constinit const SlashCommand tasks_command{
    .name = "tasks", .aliases = "ps shells jobs", .usage = "", .help = "background commands", .run = run};

}  // namespace tern
