#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"export", std::string(arguments)}); }

}  // namespace

SlashCommand export_command() {
  return {.name = "export", .usage = "[file]", .help = "write the conversation as Markdown", .run = run};
}

}  // namespace tern
