#include "ui/command.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace tern {
namespace {

// A number of compactions, or the ids of originals that shall come back.
void run(Shell& shell, std::string_view arguments) {
  auto words = split_words(arguments);
  if (!words.empty() && words.front() == "redo") return shell.send(UndoCompact{words.size() > 1 ? -number_of(words[1]) : -1, {}});
  const bool counted = words.empty() || (words.front()[0] >= '0' && words.front()[0] <= '9');
  const auto n = words.empty() ? 1 : count_in(words.front());
  if (counted && (!n || words.size() > 1))
    return shell.notice("/undo-compact [n]: \"" + std::string(arguments) + "\" is no number of compactions", Level::warning);
  if (counted) return shell.send(UndoCompact{*n, {}});
  shell.send(UndoCompact{0, std::move(words)});
}

}  // namespace

extern const SlashCommand undo_compact_command;
constinit const SlashCommand undo_compact_command{
    .name = "undo-compact",
    .aliases = "uncompact",
    .usage = "[n | redo | r12 r15 …]",
    .help = "take the last compaction back in place, or bring single originals back",
    .run = run,
    .while_working = false};

}  // namespace tern
