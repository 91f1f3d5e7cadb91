#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"last", "list", "off "}; }

void run(Shell& shell, std::string_view arguments) {
  PinThis pin;
  pin.on = !arguments.starts_with("off ");
  pin.what = arguments == "list" ? "" : std::string(pin.on ? arguments : arguments.substr(4));
  shell.send(std::move(pin));
}

}  // namespace

SlashCommand pin_command() {
  return {.name = "pin",
          .usage = "[r17 | last | text | list | off <what>]",
          .help = "keep this text verbatim through compactions",
          .run = run,
          .complete = values};
}

}  // namespace tern
