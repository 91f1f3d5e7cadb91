#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"items", "log", "tune", "tune --apply"}; }

void run(Shell& shell, std::string_view arguments) {
  const auto end = arguments.find(' ');
  const std::string what(arguments.substr(0, end));
  if (!what.empty() && what != "items" && what != "log" && what != "tune")
    return shell.say("/context, /context items, /context log, or /context tune [--apply]");
  shell.send(asked_words(what.empty() ? "context" : "context " + what,
                         end == arguments.npos ? "" : std::string(arguments.substr(end + 1))));
}

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
