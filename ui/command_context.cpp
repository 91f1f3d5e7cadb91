#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"log", "tune", "tune --apply"}; }

void run(Shell& shell, std::string_view arguments) {
  const auto end = arguments.find(' ');
  const std::string what(arguments.substr(0, end));
  if (!what.empty() && what != "log" && what != "tune") return shell.say("/context, /context log, or /context tune [--apply]");
  shell.send(
      Query{what.empty() ? "context" : "context " + what, end == arguments.npos ? "" : std::string(arguments.substr(end + 1))});
}

}  // namespace

extern const SlashCommand context_command;
constinit const SlashCommand context_command{.name = "context",
                                             .aliases = "ctx",
                                             .usage = "[log | tune [--apply]]",
                                             .help = "what fills the window, what each tier did, what is next",
                                             .run = run,
                                             .complete = values};

}  // namespace tern
