#include "ui/command.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  const auto wanted = arguments.empty() ? 1 : count_in(arguments);
  if (!wanted) return shell.notice("/copy [n]: \"" + std::string(arguments) + "\" is no number of an answer", Level::warning);
  int n = *wanted;
  for (auto cell = shell.view.cells.rbegin(); cell != shell.view.cells.rend(); ++cell) {
    const auto* answer = std::get_if<AssistantCell>(&cell->body);
    if (!answer || --n > 0) continue;
    shell.to_clipboard = answer->markdown;
    if (shell.deps.screen == ScreenKind::plain) return;  // printed: whoever reads the log has it
    return shell.say("copied " + std::to_string(answer->markdown.size()) + " bytes to the clipboard");
  }
  shell.say("there is no such answer");
}

}  // namespace

extern const SlashCommand copy_command;
constinit const SlashCommand copy_command{
    .name = "copy", .aliases = "yank", .usage = "[n]", .help = "copy the last answer (or the n-th from the end)", .run = run};

}  // namespace tern
