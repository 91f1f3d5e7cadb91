#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"cost", std::string(arguments)}); }

}  // namespace

extern const SlashCommand cost_command;
constinit const SlashCommand cost_command{
    .name = "cost", .aliases = "usage stats", .usage = "", .help = "tokens and dollars of this session", .run = run};

}  // namespace tern
