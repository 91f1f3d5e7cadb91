#include "ui/terminal/frame.h"

#include <algorithm>

#include "ui/text/width.h"

namespace tern {
namespace {

std::string line(int columns) {
  std::string out;
  for (int i = 0; i < columns; ++i) out += "─";
  return out;
}

// "╭─ left ───── right ─╮". What does not fit is left out, the right piece first.
Row edge(std::string_view begin, std::string_view end, const Row& left, const Row& right, int width,
         Style style) {
  const auto taken = [](const Row& piece) { return piece.text.empty() ? 0 : tern::width(piece.text) + 3; };
  const bool shows_left = taken(left) > 0 && taken(left) <= width - 2;
  const int room = width - 2 - (shows_left ? taken(left) : 0);
  const bool shows_right = taken(right) > 0 && taken(right) <= room;
  Row row = RowBuilder().add(begin, style).add(shows_left ? "─ " : "", style).take();
  if (shows_left) append(row, left);
  const int lines = room - (shows_right ? taken(right) : 0);
  append(row,
         RowBuilder().add(shows_left ? " " : "").add(line(lines), style).add(shows_right ? " " : "").take());
  if (shows_right) append(row, right);
  append(row, RowBuilder().add(shows_right ? " ─" : "", style).add(end, style).take());
  return row;
}

}  // namespace

Rows framed(const Rows& rows, int width, const Frame& frame) {
  Rows out;
  out.push_back(edge("╭", "╮", frame.title, frame.corner, width, frame.style));
  for (const Row& inside : rows) {
    Row row = indented(inside, "│ ", frame.style);
    row.fill = Colour::none;
    const int space = std::max(0, width - 2 - tern::width(row.text));
    append(row, RowBuilder()
                    .add(std::string(static_cast<std::size_t>(space), ' '), Style{.bg = inside.fill})
                    .add(" │", frame.style)
                    .take());
    out.push_back(std::move(row));
  }
  out.push_back(edge("╰", "╯", frame.footer, frame.rest, width, frame.style));
  return out;
}

Row key_hints(const std::vector<KeyHint>& hints, int width) {
  constexpr Style muted{.fg = Colour::muted};
  constexpr int between = 3;
  const auto columns = [](const KeyHint& hint) {
    return tern::width(hint.key) + (hint.key.empty() ? 0 : 1) + tern::width(hint.verb);
  };
  int kept = 0;
  for (const KeyHint& hint : hints)
    if (hint.key == "esc") kept = between + columns(hint);
  RowBuilder row;
  for (const KeyHint& hint : hints) {
    if (hint.key == "esc") kept = 0;
    const int gap = row.columns() > 0 ? between : 0;
    if (row.columns() + gap + columns(hint) + kept > width) continue;
    row.add(gap > 0 ? " · " : "", muted).add(hint.key).add(hint.key.empty() ? "" : " ").add(hint.verb, muted);
  }
  return row.take();
}

}  // namespace tern
