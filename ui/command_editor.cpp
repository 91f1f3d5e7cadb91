#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  shell.edit_externally = true;
  (void)arguments;
}

}  // namespace

extern const SlashCommand editor_command;
constinit const SlashCommand editor_command{
    .name = "editor", .aliases = "", .usage = "", .help = "write the prompt in $EDITOR", .run = run};

}  // namespace tern
