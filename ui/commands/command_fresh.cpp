#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  Compact fresh{.focus = std::string(arguments), .strategy = kFresh, .preview = false, .range = {}};
  if (arguments == "--preview") fresh.focus.clear(), fresh.preview = true;
  shell.send(std::move(fresh));
}

}  // namespace

SlashCommand fresh_command() {
  return {.name = "fresh",
          .usage = "[why | --preview]",
          .help = "start a fresh window with notes, todos, the last messages and an index",
          .run = run,
          .while_working = false};
}

}  // namespace tern
