#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"summaries", std::string(arguments)}); }

}  // namespace

extern const SlashCommand summaries_command;
constinit const SlashCommand summaries_command{.name = "summaries",
                                               .aliases = "summary",
                                               .usage = "[n | audit]",
                                               .help = "summaries made so far; what became of each specific",
                                               .run = run};

}  // namespace tern
