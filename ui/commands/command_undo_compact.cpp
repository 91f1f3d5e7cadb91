#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

// A number of compactions, or the ids of originals that shall come back.
void run(Shell& shell, std::string_view arguments) {
  auto words = split_words(arguments);
  if (!words.empty() && words.front() == "redo")
    return shell.send(UndoCompact{words.size() > 1 ? -number_of(words[1]) : -1, {}});
  const bool counted = words.empty() || (words.front()[0] >= '0' && words.front()[0] <= '9');
  const auto n = words.empty() ? 1 : count_in(words.front());
  if (counted && (!n || words.size() > 1))
    return shell.notice("/undo-compact [n]: \"" + std::string(arguments) + "\" is not a number",
                        Level::warning);
  if (counted) return shell.send(UndoCompact{*n, {}});
  shell.send(UndoCompact{0, std::move(words)});
}

}  // namespace

SlashCommand undo_compact_command() {
  return {.name = "undo-compact",
          .aliases = "uncompact",
          .usage = "[n | redo | r12 r15 …]",
          .help = "undo the last compaction, or restore single results",
          .run = run,
          .while_working = false};
}

}  // namespace tern
