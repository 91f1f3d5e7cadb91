#include "ui/command.h"
#include "ui/keys.h"
#include "ui/shell.h"
#include "ui/width.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Overlay overlay;
  overlay.title = "tern · commands and keys";
  overlay.content = [&shell](int width) {
    Rows rows;
    for (const SlashCommand* command : slash_commands()) {
      RowBuilder row;
      row.add("/" + std::string(command->name), Style{.fg = Colour::accent}).fill_to(16).add(shorten(command->help, width - 16));
      rows.push_back(row.take());
      std::string more = std::string(command->usage);
      if (!command->aliases.empty()) more += (more.empty() ? "" : " · ") + std::string("also ") + std::string(command->aliases);
      if (!more.empty())
        rows.push_back(RowBuilder().fill_to(16).add(shorten(more, width - 16), Style{.fg = Colour::muted}).take());
    }
    rows.emplace_back();
    Rows keys = key_rows(shell, width);
    std::move(keys.begin(), keys.end(), std::back_inserter(rows));
    return rows;
  };
  shell.overlay = std::move(overlay);
}

}  // namespace

extern const SlashCommand help_command;
constinit const SlashCommand help_command{
    .name = "help", .aliases = "? commands", .usage = "", .help = "commands and keys", .run = run};

}  // namespace tern
