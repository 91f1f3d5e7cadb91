// The transcript's cells as things to pick, beside its rows of text.
#include <algorithm>
#include <utility>

#include "ui/parts/selection.h"
#include "ui/parts/transcript.h"
#include "ui/text/width.h"

namespace tern {

void Transcript::pick(std::uint64_t cell, std::set<std::uint64_t> marked) {
  picked_ = cell;
  picked_too_ = std::move(marked);
}

void Transcript::show_cell(std::size_t cell) {
  if (cell >= entries_.size()) return;
  const std::size_t rows = std::max<std::size_t>(height_at(cell), 1);
  const Place begin{cell, 0}, end{cell, std::min(rows, static_cast<std::size_t>(std::max(height_, 1))) - 1};
  const Place top = following_ ? last_top() : std::min(top_, last_top());
  if (begin < top) {
    scroll(-1);
    top_ = begin;
    following_ = false;
  }
  while (!following_ && step(top_, height_ - 1) < end) scroll(1);
}

void Transcript::paint_picked(Row& row, std::uint64_t cell, bool first_row) const {
  if (cell == picked_) paint_selected(row, 0, std::string::npos);
  if (!first_row || picked_too_.count(cell) == 0) return;
  constexpr int mark_columns = 2;
  Row marked;
  append(marked, row, 0, fit(row.text, options_.width - mark_columns));
  append(marked, RowBuilder().add(" \xE2\x97\x86", Style{.fg = Colour::accent, .bold = true}).take());
  row = std::move(marked);
}

}  // namespace tern
