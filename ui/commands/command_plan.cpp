#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  const bool on = shell.view.meters.mode == PermissionMode::plan;
  shell.send(SetMode{on ? PermissionMode::ask : PermissionMode::plan});
}

}  // namespace

SlashCommand plan_command() {
  return {.name = "plan", .help = "turn plan mode (read-only) on or off", .run = run};
}

}  // namespace tern
