#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.send(PinThis{});
  shell.send(PinThis{std::string(arguments), false});
}

}  // namespace

extern const SlashCommand unpin_command;
constinit const SlashCommand unpin_command{.name = "unpin",
                                           .aliases = "",
                                           .usage = "[number | what]",
                                           .help = "take a pin off; without one the pins are listed",
                                           .run = run};

}  // namespace tern
