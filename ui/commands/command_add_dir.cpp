#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  if (arguments.empty()) return shell.say("which folder? /add-dir <folder>");
  shell.send(Query{"add-dir", std::string(arguments)});
}

}  // namespace

extern const SlashCommand add_dir_command;
constinit const SlashCommand add_dir_command{
    .name = "add-dir", .aliases = "", .usage = "<folder>", .help = "let the tools work in one more folder", .run = run};

}  // namespace tern
