#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(asked_words("handoff", arguments)); }

}  // namespace

SlashCommand handoff_command() {
  return {.name = "handoff",
          .usage = "[focus | --text [focus]]",
          .help = "continue in a new session with notes and an index, or as a text",
          .run = run,
          .while_working = false,
          .complete = [](Shell&) { return std::vector<std::string>{"--text"}; }};
}

}  // namespace tern
