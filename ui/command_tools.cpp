#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"tools", std::string(arguments)}); }

}  // namespace

extern const SlashCommand tools_command;
constinit const SlashCommand tools_command{
    .name = "tools", .aliases = "", .usage = "", .help = "the tools the model may use", .run = run};

}  // namespace tern
