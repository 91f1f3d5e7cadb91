#include "ui/command.h"
#include "ui/keys.h"
#include "ui/rows.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Overlay overlay;
  overlay.title = "tern · commands and keys";
  overlay.content = [&shell](int width) {
    Rows rows;
    constexpr int column = 16;
    const auto add = [&](RowBuilder row) { wrap_into(rows, row.take(), width, "", std::string(column, ' ')); };
    for (const SlashCommand* command : slash_commands()) {
      add(RowBuilder().add("/" + std::string(command->name), Style{.fg = Colour::accent}).fill_to(column).add(command->help));
      std::string more = std::string(command->usage);
      if (!command->aliases.empty()) more += (more.empty() ? "" : " · ") + std::string("also ") + std::string(command->aliases);
      if (!more.empty()) add(RowBuilder().fill_to(column).add(more, Style{.fg = Colour::muted}));
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
