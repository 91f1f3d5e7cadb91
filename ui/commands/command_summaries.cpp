#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  const bool text =
      arguments.empty() && shell.deps.screen == ScreenKind::plain;  // there is no list to open them from
  shell.send(text ? Command(AskSummaryTexts{}) : asked_words("summaries", arguments));
}

}  // namespace

SlashCommand summaries_command() {
  return {.name = "summaries",
          .aliases = "summary",
          .usage = "[n | audit]",
          .help = "list summaries, or audit what each one kept",
          .run = run};
}

}  // namespace tern
