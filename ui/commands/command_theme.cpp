#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) {
  std::vector<std::string> names;
  for (const ThemeRow& row : theme_rows()) names.emplace_back(row.name);
  return names;
}

void run(Shell& shell, std::string_view arguments) {
  if (!arguments.empty()) return shell.use_theme(arguments);
  Overlay overlay;
  overlay.title = "colours";
  for (const ThemeRow& row : theme_rows()) {
    if (row.name == shell.deps.theme) overlay.selected = overlay.items.size();
    overlay.items.emplace_back(row.name);
  }
  overlay.chosen = [](Shell& chosen_in, std::size_t index) { chosen_in.use_theme(theme_rows()[index].name); };
  shell.overlay = std::move(overlay);
}

}  // namespace

extern const SlashCommand theme_command;
constinit const SlashCommand theme_command{
    .name = "theme", .aliases = "themes", .usage = "[name]", .help = "colours", .run = run, .complete = values};

}  // namespace tern
