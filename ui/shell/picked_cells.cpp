#include "ui/shell/picked_cells.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ui/parts/cell_items.h"
#include "ui/shell/keys.h"
#include "ui/shell/shell.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"

namespace tern {
namespace {

using What = EditContext::What;

const Cell* cell_of(const Shell& shell, std::uint64_t id) {
  const auto& cells = shell.view.cells;
  const auto found =
      std::find_if(cells.begin(), cells.end(), [id](const Cell& cell) { return cell.id == id; });
  return found == cells.end() ? nullptr : &*found;
}

// The next cell that is an item of the context; nothing where there is none that way.
const Cell* next_cell(const Shell& shell, std::ptrdiff_t from, int direction) {
  const auto& cells = shell.view.cells;
  for (; from >= 0 && from < std::ssize(cells); from += direction)
    if (const Cell& cell = cells[static_cast<std::size_t>(from)]; !item_name(cell).empty()) return &cell;
  return nullptr;
}

void go_to(Shell& shell, const Cell* cell) {
  if (!cell) return;
  shell.picked->cell = cell->id;
  shell.transcript.pick(cell->id, shell.picked->marked);
  shell.transcript.show_cell(static_cast<std::size_t>(cell - shell.view.cells.data()));
}

void move(Shell& shell, int direction) {
  const Cell* here = cell_of(shell, shell.picked->cell);
  if (here) go_to(shell, next_cell(shell, here - shell.view.cells.data() + direction, direction));
}

void mark(Shell& shell) {
  auto& marked = shell.picked->marked;
  if (marked.erase(shell.picked->cell) == 0) marked.insert(shell.picked->cell);
  shell.transcript.pick(shell.picked->cell, marked);
  move(shell, 1);
}

// The marked cells from the top, else the one the keys are at.
std::vector<const Cell*> chosen(const Shell& shell) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : shell.view.cells) {
    const bool here = shell.picked->marked.empty() ? cell.id == shell.picked->cell
                                                   : shell.picked->marked.count(cell.id) > 0;
    if (here) cells.push_back(&cell);
  }
  return cells;
}

std::vector<std::string> take_names(Shell& shell) {
  std::vector<std::string> names;
  for (const Cell* cell : chosen(shell)) names.push_back(item_name(*cell));
  shell.picked->marked.clear();
  shell.transcript.pick(shell.picked->cell, {});
  return names;
}

void edit(Shell& shell, What what) {
  shell.send(EditContext{what, take_names(shell)});
  if (shell.view.working) shell.say("when this turn has ended");
}

void pin(Shell& shell) {
  for (const std::string& name : take_names(shell)) shell.send(PinThis{name});
}

void summarize_from_here(Shell& shell) {
  const Cell* here = cell_of(shell, shell.picked->cell);
  if (!here) return;
  if (shell.view.working) return shell.say("summarizing must wait until the turn ends · esc interrupt");
  shell.send(Compact{.range = ItemRange{here->item, ItemId{~0ull}}});
  shell.say("summarizing from " + item_name(*here) + " on");
}

}  // namespace

void begin_picking(Shell& shell) {
  const auto bottom = shell.transcript.cell_at(static_cast<int>(shell.transcript.shown_rows()) - 1);
  if (!bottom) return;
  const auto from = static_cast<std::ptrdiff_t>(*bottom);
  const Cell* cell = next_cell(shell, from, -1);
  if (!cell) cell = next_cell(shell, from, 1);
  if (!cell) return shell.say("nothing here is in the context yet");
  shell.picked.emplace();
  go_to(shell, cell);
}

void end_picking(Shell& shell) {
  shell.picked.reset();
  shell.transcript.pick(0, {});
}

void picking_key(Shell& shell, const KeyPress& press) {
  if (!cell_of(shell, shell.picked->cell)) return end_picking(shell);
  const std::string letter = press.key == Key::character && !press.ctrl ? press.text : "";
  if (letter == "j" || press.key == Key::down)
    move(shell, 1);
  else if (letter == "k" || press.key == Key::up)
    move(shell, -1);
  else if (letter == " ")
    mark(shell);
  else if (letter == "d")
    edit(shell, What::drop);
  else if (letter == "f")
    edit(shell, What::fold);
  else if (letter == "r")
    edit(shell, What::back);
  else if (letter == "p")
    pin(shell);
  else if (letter == "u")
    shell.send(UndoCompact{1, {}});
  else if (letter == "s")
    summarize_from_here(shell);
  else if (letter == "q" || letter == "e" || press.key == Key::escape || press.ctrl)
    end_picking(shell);
}

std::string about_picked(const Shell& shell) {
  const Cell* here = shell.picked ? cell_of(shell, shell.picked->cell) : nullptr;
  if (!here) return {};
  std::string text = item_name(*here) + " " + safe_text(item_words(*here), Lines::one);
  text += here->left_context == Tier::none ? " \xC2\xB7 ~" + short_count(item_tokens(*here)) + " tokens"
                                           : " \xC2\xB7 shortened or gone";
  Tokens sum = 0;
  const auto cells = chosen(shell);
  for (const Cell* cell : cells) sum += item_tokens(*cell);
  if (!shell.picked->marked.empty()) text += " \xC2\xB7 " + std::to_string(cells.size()) + " marked";
  const Tokens used = shell.view.meters.used;
  if (used > 0)
    text += ": " + short_count(used) + " \xE2\x86\x92 " + short_count(std::max<Tokens>(used - sum, 0));
  return text;
}

}  // namespace tern
