#include "ui/command.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  const auto n = arguments.empty() ? 1 : count_in(arguments);
  if (!n) return shell.notice("/redo-compact [n]: \"" + std::string(arguments) + "\" is no number", Level::warning);
  shell.send(UndoCompact{-*n, {}});
}

}  // namespace

extern const SlashCommand redo_compact_command;
constinit const SlashCommand redo_compact_command{.name = "redo-compact",
                                                  .aliases = "",
                                                  .usage = "[n]",
                                                  .help = "do an undone compaction again",
                                                  .run = run,
                                                  .while_working = false};

}  // namespace tern
