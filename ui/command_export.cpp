#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"export", std::string(arguments)}); }

}  // namespace

extern const SlashCommand export_command;
constinit const SlashCommand export_command{
    .name = "export", .aliases = "", .usage = "[file]", .help = "write the conversation as Markdown", .run = run};

}  // namespace tern
