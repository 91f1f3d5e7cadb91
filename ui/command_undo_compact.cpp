#include "ui/command.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(UndoCompact{arguments.empty() ? 1 : number_of(arguments)}); }

}  // namespace

extern const SlashCommand undo_compact_command;
constinit const SlashCommand undo_compact_command{.name = "undo-compact",
                                                  .aliases = "uncompact",
                                                  .usage = "[n]",
                                                  .help = "take the last compaction back in place",
                                                  .run = run,
                                                  .while_working = false};

}  // namespace tern
