#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  shell.quitting = true;
  (void)arguments;
}

}  // namespace

extern const SlashCommand exit_command;
constinit const SlashCommand exit_command{
    .name = "exit", .aliases = "quit q", .usage = "", .help = "leave; the account is printed and how to resume", .run = run};

}  // namespace tern
