#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"status", std::string(arguments)}); }

}  // namespace

extern const SlashCommand status_command;
constinit const SlashCommand status_command{
    .name = "status", .aliases = "", .usage = "", .help = "version, model, folder, session, sandbox", .run = run};

}  // namespace tern
