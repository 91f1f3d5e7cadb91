#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) {
  std::vector<std::string> names;
  for (const ThemeRow& row : theme_rows()) names.emplace_back(row.name);
  return names;
}

// Used at once, and at the next start.
void choose(Shell& shell, std::string_view name) {
  shell.use_theme(name);
  if (shell.deps.theme == name) shell.send(Remember{"theme", std::string(name)});
}

void run(Shell& shell, std::string_view arguments) {
  if (!arguments.empty()) return choose(shell, arguments);
  Overlay overlay;
  overlay.title = "Theme";
  for (const ThemeRow& row : theme_rows()) {
    if (row.name == shell.deps.theme) overlay.selected = overlay.items.size();
    overlay.items.emplace_back(row.name);
  }
  overlay.chosen = [](Shell& chosen_in, std::size_t index) { choose(chosen_in, theme_rows()[index].name); };
  shell.overlay = std::move(overlay);
}

}  // namespace

SlashCommand theme_command() {
  return {.name = "theme",
          .aliases = "themes",
          .usage = "[name]",
          .help = "choose the colours",
          .run = run,
          .complete = values};
}

}  // namespace tern
