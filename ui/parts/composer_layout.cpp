// How the composer's buffer looks: chips by their label, what cannot be seen as an escape, soft wrap, the
// caret.
#include <algorithm>

#include "ui/parts/composer.h"
#include "ui/parts/composer_chip.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {

std::string Composer::label(std::string_view cluster) const {
  if (!is_chip(cluster, 0)) return {};
  const std::size_t index = chip_index(cluster, 0);
  if (index >= chips_.size()) return "[Pasted]";
  if (!chips_[index].name.empty()) return chips_[index].name;
  const std::string& text = chips_[index].text;
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.back() == '\n' ? 0 : 1);
  if (lines > 1) return "[Pasted " + std::to_string(lines) + " lines]";
  return "[Pasted " + std::to_string(text.size()) + " characters]";
}

// The buffer keeps what was written; only what is looked at is made visible.
std::string Composer::shown(std::string_view cluster) const {
  if (cluster == "\t") return "    ";
  if (is_chip(cluster, 0)) return label(cluster);
  return cluster.size() == 1 ? std::string(cluster) : safe_text(cluster, Lines::one);
}

int Composer::columns_of(std::string_view cluster) const {
  const bool plain = cluster.size() == 1 && cluster != "\t";
  return plain ? 1 : width(shown(cluster));
}

std::vector<Composer::Line> Composer::lines(int width) const {
  std::vector<Line> out(1);
  int column = 0;
  std::size_t blank = 0;  // after the last blank of this row
  for (std::size_t at = 0; at < buffer_.size();) {
    if (buffer_[at] == '\n') {
      out.back().end = at++;
      out.push_back({at, at});
      column = 0;
      blank = 0;
      continue;
    }
    const std::size_t bytes = forward(at) - at;
    const int columns = columns_of(std::string_view(buffer_).substr(at, bytes));
    if (column + columns > width && at > out.back().begin) {
      const std::size_t cut = blank > out.back().begin && buffer_[at] != ' ' ? blank : at;
      out.back().end = cut;
      out.push_back({cut, cut});
      column = 0;
      for (std::size_t k = cut; k < at; k = forward(k))
        column += columns_of(std::string_view(buffer_).substr(k, forward(k) - k));
      blank = 0;
    }
    column += columns;
    at += bytes;
    if (buffer_[at - 1] == ' ') blank = at;
  }
  out.back().end = buffer_.size();
  return out;
}

Composer::Layout Composer::layout(int width, int height) const {
  width_ = std::max(4, width);
  const std::vector<Line> all = lines(width_);
  Layout layout;
  std::size_t caret_line = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].begin <= caret_) caret_line = i;
  const std::size_t rows = std::min<std::size_t>(all.size(), static_cast<std::size_t>(std::max(1, height)));
  const std::size_t first = std::min(caret_line + 1 > rows ? caret_line + 1 - rows : 0, all.size() - rows);
  first_row_ = first;
  for (std::size_t i = first; i < first + rows; ++i) {
    RowBuilder row;
    if (i == caret_line) layout.caret_y = static_cast<int>(i - first);
    for (std::size_t at = all[i].begin; at < all[i].end; at = forward(at)) {
      if (at == caret_) layout.caret_x = row.columns();
      const std::string_view cluster = std::string_view(buffer_).substr(at, forward(at) - at);
      row.add(shown(cluster), is_chip(cluster, 0) ? Style{.fg = Colour::accent} : Style{});
    }
    if (i == caret_line && caret_ >= all[i].end) layout.caret_x = row.columns();
    layout.rows.push_back(row.take());
  }
  return layout;
}

void Composer::click(int column, int row) {
  const std::vector<Line> all = lines(width_);
  const std::size_t index = std::min(first_row_ + static_cast<std::size_t>(std::max(0, row)), all.size() - 1);
  const Line& line = all[index];
  std::size_t at = line.begin;
  for (int x = 0; at < line.end; at = forward(at)) {
    const int columns = columns_of(std::string_view(buffer_).substr(at, forward(at) - at));
    if (x + (columns + 1) / 2 > column) break;
    x += columns;
  }
  const bool soft = at == line.end && index + 1 < all.size() && buffer_[line.end] != '\n';
  caret_ = soft && at > line.begin ? back(at) : at;
  goal_column_ = -1;
  last_ = Last::other;
}

std::vector<std::string> Composer::pastes() const {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < buffer_.size(); at = forward(at)) {
    if (!is_chip(buffer_, at)) continue;
    const std::size_t index = chip_index(buffer_, at);
    if (index < chips_.size() && chips_[index].name.empty()) texts.push_back(chips_[index].text);
  }
  return texts;
}

bool Composer::move_line(int direction) {
  const std::vector<Line> all = lines(width_);
  std::size_t line = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].begin <= caret_) line = i;
  if (direction < 0 ? line == 0 : line + 1 >= all.size()) return false;
  if (goal_column_ < 0) {
    goal_column_ = 0;
    for (std::size_t at = all[line].begin; at < caret_; at = forward(at))
      goal_column_ += columns_of(std::string_view(buffer_).substr(at, forward(at) - at));
  }
  const Line& target = all[static_cast<std::size_t>(static_cast<long>(line) + direction)];
  std::size_t at = target.begin;
  for (int column = 0; at < target.end; at = forward(at)) {
    column += columns_of(std::string_view(buffer_).substr(at, forward(at) - at));
    if (column > goal_column_) break;
  }
  // The end of a soft-wrapped row is the begin of the next: stay on this one.
  const bool soft = at == target.end && target.end < buffer_.size() && buffer_[target.end] != '\n';
  caret_ = soft && at > target.begin ? back(at) : at;
  last_ = Last::other;
  return true;
}

}  // namespace tern
