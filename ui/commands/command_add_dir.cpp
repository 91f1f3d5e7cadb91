#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.say("which folder? /add-dir <folder>");
  shell.send(AddFolder{std::string(arguments)});
}

}  // namespace

SlashCommand add_dir_command() {
  return {
      .name = "add-dir", .usage = "<folder>", .help = "let the tools work in one more folder", .run = run};
}

}  // namespace tern
