#include "ui/shell/keys.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Overlay overlay;
  if (shell.deps.screen == ScreenKind::plain)
    overlay.title = "what a line begins with";
  else
    overlay.title = "Keys";
  overlay.content = [&shell](int width) {
    Rows rows = key_rows(shell, width);
    if (shell.deps.screen == ScreenKind::plain) return rows;
    const std::string how =
        R"("keys": {"transcript": "f5"} in the configuration rebinds those in brackets, the others stay)";
    rows.emplace_back();
    wrap_into(rows, RowBuilder().add(how, Style{.fg = Colour::muted}).take(), width);
    return rows;
  };
  shell.overlay = std::move(overlay);
}

}  // namespace

SlashCommand keys_command() {
  return {
      .name = "keys", .aliases = "keybindings hotkeys keymap shortcuts", .help = "list the keys", .run = run};
}

}  // namespace tern
