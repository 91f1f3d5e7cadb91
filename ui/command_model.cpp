#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(SetModel{std::string(arguments)}); }

}  // namespace

extern const SlashCommand model_command;
constinit const SlashCommand model_command{
    .name = "model", .aliases = "models", .usage = "[provider/name]", .help = "switch the model, or list them", .run = run};

}  // namespace tern
