#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  shell.composer.set_vi(!shell.composer.vi());
  shell.send(Remember{"vim", shell.composer.vi() ? "true" : "false"});
  shell.say(shell.composer.vi() ? "vi keys: Esc for normal mode" : "emacs keys");
}

}  // namespace

SlashCommand vim_command() {
  return {.name = "vim", .aliases = "vi", .help = "turn vi keys in the prompt on or off", .run = run};
}

}  // namespace tern
