#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(SetModel{std::string(arguments)}); }

}  // namespace

SlashCommand model_command() {
  return {.name = "model",
          .aliases = "models",
          .usage = "[provider/name]",
          .help = "switch the model, or list them",
          .run = run};
}

}  // namespace tern
