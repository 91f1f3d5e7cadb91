#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  shell.edit_externally = true;
  (void)arguments;
}

}  // namespace

SlashCommand editor_command() {
  return {.name = "editor", .help = "write the prompt in $EDITOR", .run = run};
}

}  // namespace tern
