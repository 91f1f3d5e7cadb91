#include "ui/command.h"
#include "ui/shell.h"

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

extern const SlashCommand pin_command;
constinit const SlashCommand pin_command{.name = "pin",
                                         .aliases = "",
                                         .usage = "[r17 | last | text | list | off <what>]",
                                         .help = "keep it byte-identical through every compaction",
                                         .run = run,
                                         .complete = values};

}  // namespace tern
