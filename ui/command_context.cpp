#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) { return {"log", "tune", "tune --apply"}; }

void run(Shell& shell, std::string_view arguments) {
  shell.send(Query{arguments.empty() ? "context" : "context " + std::string(arguments), ""});
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
