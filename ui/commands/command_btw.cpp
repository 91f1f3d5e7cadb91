#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty())
    return shell.say("/btw QUESTION asks on the side; /btw keep adds the last answer to the conversation",
                     6'000);
  shell.send(Aside{arguments == "keep" ? "" : std::string(arguments), arguments == "keep"});
}

}  // namespace

SlashCommand btw_command() {
  return {.name = "btw",
          .usage = "QUESTION | keep",
          .help = "ask on the side, outside the conversation",
          .run = run,
          .while_working = false,
          .complete = [](Shell&) { return std::vector<std::string>{"keep"}; }};
}

}  // namespace tern
