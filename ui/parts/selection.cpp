#include "ui/parts/selection.h"

#include <algorithm>

#include "ui/parts/text_search.h"
#include "ui/text/width.h"

namespace tern {

ByteRange letter_under(const Row& row, int x) {
  const std::size_t gutter = std::min<std::size_t>(row.gutter, row.text.size());
  std::size_t byte = fit(row.text, std::max(0, x));
  const std::size_t begin = std::max(byte, gutter);
  if (byte >= gutter) byte += next_cluster(row.text, byte).bytes;
  return {begin, std::max(byte, gutter)};
}

void paint_selected(Row& row, std::size_t from, std::size_t to) {
  from = std::max<std::size_t>(from, row.gutter);
  to = std::min(to, row.text.size() - row.trailer);
  if (from < to) lay_over(row, from, to, Style{.bg = Colour::select_tint});
}

void copy_selected(std::string& text, const Row& row, std::size_t from, std::size_t to, bool first) {
  if (!first && !row.continued) text += '\n';
  if (!first && row.blank_lost) text += ' ';
  from = std::max<std::size_t>(from, row.gutter);
  to = std::min(to, row.text.size() - row.trailer);
  if (from < to) text += row.text.substr(from, to - from);
}

void RowSelection::press(const Rows& rows, std::size_t row, int x) {
  clear();
  if (row >= rows.size()) return;
  const ByteRange letter = letter_under(rows[row], x);
  pressed_begin_ = to_ = {row, letter.begin};
  pressed_end_ = {row, letter.end};
  from_ = pressed_begin_;
}

void RowSelection::drag(const Rows& rows, std::size_t row, int x) {
  if (!from_ || row >= rows.size()) return;
  const ByteRange letter = letter_under(rows[row], x);
  const bool back = Spot{row, letter.begin} < pressed_begin_;
  from_ = back ? pressed_end_ : pressed_begin_;
  to_ = {row, back ? letter.begin : letter.end};
}

std::string RowSelection::text(const Rows& rows) const {
  std::string text;
  if (empty()) return text;
  const Spot begin = std::min(*from_, to_), end = std::max(*from_, to_);
  for (std::size_t i = begin.row; i <= end.row && i < rows.size(); ++i)
    copy_selected(text, rows[i], i == begin.row ? begin.byte : 0, i == end.row ? end.byte : std::string::npos,
                  i == begin.row);
  return text;
}

void RowSelection::paint(Row& row, std::size_t index) const {
  if (empty()) return;
  const Spot begin = std::min(*from_, to_), end = std::max(*from_, to_);
  if (index >= begin.row && index <= end.row)
    paint_selected(row, index == begin.row ? begin.byte : 0, index == end.row ? end.byte : std::string::npos);
}

void RowSelection::clear() { from_.reset(); }

}  // namespace tern
