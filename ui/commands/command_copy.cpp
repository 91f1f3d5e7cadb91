#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  const auto wanted = arguments.empty() ? 1 : count_in(arguments);
  if (!wanted)
    return shell.notice("/copy [n]: \"" + std::string(arguments) + "\" is not a number", Level::warning);
  int n = *wanted;
  for (auto cell = shell.view.cells.rbegin(); cell != shell.view.cells.rend(); ++cell) {
    const auto* answer = std::get_if<AssistantCell>(&cell->body);
    if (!answer || --n > 0) continue;
    if (shell.deps.screen != ScreenKind::plain) return shell.copy(answer->markdown);
    shell.to_clipboard = answer->markdown;  // printed: whoever reads the log has it
    return;
  }
  shell.say("no such answer");
}

}  // namespace

SlashCommand copy_command() {
  return {.name = "copy",
          .aliases = "yank",
          .usage = "[n]",
          .help = "copy the last answer (or the n-th from the end)",
          .run = run};
}

}  // namespace tern
