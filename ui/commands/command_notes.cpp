#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"notes", std::string(arguments)}); }

}  // namespace

SlashCommand notes_command() {
  return {.name = "notes",
          .usage = "[name]",
          .help = "read the notes the model keeps; .compression/notes has them as files",
          .run = run};
}

}  // namespace tern
