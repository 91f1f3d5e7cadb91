#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"off", "low", "medium", "high"}; }

void run(Shell& shell, std::string_view arguments) { shell.send(asked_words("effort", arguments)); }

}  // namespace

SlashCommand effort_command() {
  return {.name = "effort",
          .aliases = "think",
          .usage = "[off|low|medium|high]",
          .help = "how much the model thinks before it answers",
          .run = run,
          .complete = values};
}

}  // namespace tern
