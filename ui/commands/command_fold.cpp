#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  auto ids = split_words(arguments);
  if (ids.empty()) return shell.send(AskContextItems{});
  shell.send(EditContext{EditContext::What::fold, std::move(ids)});
}

}  // namespace

SlashCommand fold_command() {
  return {.name = "fold",
          .usage = "[r17 r18 …]",
          .help = "shorten results or messages to one line each",
          .run = run,
          .while_working = false};
}

}  // namespace tern
