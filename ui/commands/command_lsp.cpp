#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"lsp", std::string(arguments)}); }

}  // namespace

SlashCommand lsp_command() {
  return {
      .name = "lsp", .usage = "[on | off | restart]", .help = "language servers, and what they say of your files", .run = run};
}

}  // namespace tern
