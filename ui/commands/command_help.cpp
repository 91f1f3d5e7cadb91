#include "ui/parts/rows.h"
#include "ui/shell/keys.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/text/width.h"

namespace tern {
namespace {

// Name, what it does, and dim what may follow and its other names: in one row where that fits.
void add_command(Rows& rows, const SlashCommand& command, int width) {
  constexpr Style muted{.fg = Colour::muted};
  const int column = width < 60 ? 2 : 16;
  const std::string indent(static_cast<std::size_t>(column), ' ');
  RowBuilder row;
  row.add("/" + std::string(command.name), Style{.fg = Colour::accent});
  if (width < 60) rows.push_back(row.take());
  row.fill_to(column).add(command.help);
  std::string more(command.usage);
  if (!command.aliases.empty()) more += (more.empty() ? "also " : " · also ") + std::string(command.aliases);
  if (more.empty()) return wrap_into(rows, row.take(), width, "", indent);
  constexpr int gap = 3;
  if (row.columns() + gap + tern::width(more) <= width) {
    row.add(std::string(gap, ' ')).add(more, muted);
    return wrap_into(rows, row.take(), width, "", indent);
  }
  wrap_into(rows, row.take(), width, "", indent);
  wrap_into(rows, RowBuilder().fill_to(column).add(more, muted).take(), width, "", indent);
}

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Overlay overlay;
  overlay.title = "Commands and keys";
  overlay.content = [&shell](int width) {
    constexpr Style heading{.fg = Colour::accent, .bold = true};
    Rows rows = {RowBuilder().add("Commands", heading).take()};
    for (const SlashCommand& command : shell.slash)
      if (!command.name.starts_with('@')) add_command(rows, command, width);
    rows.emplace_back();
    rows.push_back(RowBuilder().add("Keys", heading).take());
    append(rows, key_rows(shell, width));
    return rows;
  };
  shell.overlay = std::move(overlay);
}

}  // namespace

SlashCommand help_command() {
  return {.name = "help", .aliases = "? commands", .help = "list commands and keys", .run = run};
}

}  // namespace tern
