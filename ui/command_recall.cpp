#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"recall", std::string(arguments)}); }

}  // namespace

extern const SlashCommand recall_command;
constinit const SlashCommand recall_command{
    .name = "recall", .aliases = "", .usage = "[r17 | text]", .help = "open an original that was shortened", .run = run};

}  // namespace tern
