#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  const bool on = shell.view.meters.mode == PermissionMode::plan;
  shell.send(SetMode{on ? PermissionMode::ask : PermissionMode::plan});
}

}  // namespace

extern const SlashCommand plan_command;
constinit const SlashCommand plan_command{
    .name = "plan", .aliases = "", .usage = "", .help = "read-only mode on or off", .run = run};

}  // namespace tern
