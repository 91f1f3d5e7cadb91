#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"items", "log", "tune", "tune --apply"}; }

void run(Shell& shell, std::string_view arguments) { shell.send(asked_words("context", arguments)); }

}  // namespace

SlashCommand context_command() {
  return {.name = "context",
          .aliases = "ctx",
          .usage = "[items | log | tune [--apply]]",
          .help = "show what fills the window; items: take some out by hand",
          .run = run,
          .complete = values};
}

}  // namespace tern
