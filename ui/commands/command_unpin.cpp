#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.send(PinThis{});
  shell.send(PinThis{std::string(arguments), false});
}

}  // namespace

SlashCommand unpin_command() {
  return {.name = "unpin", .usage = "[number | what]", .help = "remove a pin, or list the pins", .run = run};
}

}  // namespace tern
