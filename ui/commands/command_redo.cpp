#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (!arguments.empty() && arguments != "conversation")
    return shell.notice(
        "/redo [conversation]: \"" + std::string(arguments) + "\": say conversation, or nothing",
        Level::warning);
  shell.send(Redo{arguments.empty()});
}

}  // namespace

SlashCommand redo_command() {
  return {.name = "redo",
          .usage = "[conversation]",
          .help = "undo the last rewind, files included",
          .run = run,
          .while_working = false};
}

}  // namespace tern
