#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (!arguments.empty() && arguments != "conversation")
    return shell.notice("/redo [conversation]: \"" + std::string(arguments) + "\" is no part of a rewind", Level::warning);
  shell.send(Redo{arguments.empty()});
}

}  // namespace

extern const SlashCommand redo_command;
constinit const SlashCommand redo_command{.name = "redo",
                                          .aliases = "",
                                          .usage = "[conversation]",
                                          .help = "take the last rewind back, its files too",
                                          .run = run,
                                          .while_working = false};

}  // namespace tern
