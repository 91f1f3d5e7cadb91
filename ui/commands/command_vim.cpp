#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  shell.composer.set_vi(!shell.composer.vi());
  shell.say(shell.composer.vi() ? "vi keys: Esc for normal mode" : "emacs keys");
}

}  // namespace

extern const SlashCommand vim_command;
constinit const SlashCommand vim_command{
    .name = "vim", .aliases = "vi", .usage = "", .help = "vi keys in the prompt on or off", .run = run};

}  // namespace tern
