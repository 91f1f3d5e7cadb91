#include "ui/command.h"
#include "ui/keys.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Overlay overlay;
  if (shell.deps.screen == ScreenKind::plain)
    overlay.title = "what a line begins with";
  else
    overlay.title = "keys · \"keys\": {\"transcript\": \"f5\"} in the configuration rebinds those in brackets, the others stay";
  overlay.content = [&shell](int width) { return key_rows(shell, width); };
  shell.overlay = std::move(overlay);
}

}  // namespace

extern const SlashCommand keys_command;
constinit const SlashCommand keys_command{.name = "keys",
                                          .aliases = "keybindings hotkeys keymap shortcuts",
                                          .usage = "",
                                          .help = "the keys, and how to rebind them",
                                          .run = run};

}  // namespace tern
