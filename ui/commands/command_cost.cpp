#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"limit turn", "limit session", "limit day", "limit off"}; }

void run(Shell& shell, std::string_view arguments) { shell.send(asked_words("cost", arguments)); }

}  // namespace

SlashCommand cost_command() {
  return {.name = "cost",
          .aliases = "usage stats",
          .usage = "[limit turn | session | day | TOOL DOLLARS]",
          .help = "show what the session has cost, or limit it",
          .run = run,
          .complete = values};
}

}  // namespace tern
