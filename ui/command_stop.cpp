#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(StopJob{std::string(arguments)}); }

}  // namespace

extern const SlashCommand stop_command;
constinit const SlashCommand stop_command{
    .name = "stop", .aliases = "kill", .usage = "[id]", .help = "end background commands", .run = run};

}  // namespace tern
