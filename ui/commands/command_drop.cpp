#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  auto ids = split_words(arguments);
  if (ids.empty()) return shell.send(AskContextItems{});
  shell.send(EditContext{EditContext::What::drop, std::move(ids)});
}

}  // namespace

SlashCommand drop_command() {
  return {.name = "drop",
          .usage = "[r17 r18 …]",
          .help = "take results or messages out of the context, without a summary",
          .run = run,
          .while_working = false};
}

}  // namespace tern
