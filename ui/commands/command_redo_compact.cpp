#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  const auto n = arguments.empty() ? 1 : count_in(arguments);
  if (!n)
    return shell.notice("/redo-compact [n]: \"" + std::string(arguments) + "\" is not a number",
                        Level::warning);
  shell.send(UndoCompact{-*n, {}});
}

}  // namespace

SlashCommand redo_compact_command() {
  return {.name = "redo-compact",
          .usage = "[n]",
          .help = "redo an undone compaction",
          .run = run,
          .while_working = false};
}

}  // namespace tern
