#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"memory", std::string(arguments)}); }

}  // namespace

extern const SlashCommand memory_command;
constinit const SlashCommand memory_command{
    .name = "memory", .aliases = "", .usage = "", .help = "the memory files in force and what they cost", .run = run};

}  // namespace tern
