#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"request"}; }

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"debug", std::string(arguments)}); }

}  // namespace

extern const SlashCommand debug_command;
constinit const SlashCommand debug_command{
    .name = "debug", .aliases = "", .usage = "[request]", .help = "the exact last request", .run = run, .complete = values};

}  // namespace tern
