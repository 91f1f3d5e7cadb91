// What a piece of text means on screen. Units speak of meanings; theme.h alone turns meanings into terminal
// colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class Colour : std::uint8_t {
  none,    // the terminal's own
  muted,   // secondary text, frames, gutters
  accent,  // prompt glyph, headings, selection marks
  user,    // what the person said
  agent,   // bullets of the model and its tools
  good,    // added lines, success
  warn,
  bad,   // removed lines, errors
  code,  // strings of source code
  keyword,
  literal,  // inline code in prose
  lime,
  orange,      // the two bands of the context bar between good, warn and bad
  added_tint,  // from here on backgrounds
  removed_tint,
  added_word,
  removed_word,
  added_edge,  // under the line numbers of a diff
  removed_edge,
  prompt_tint,
  select_tint,
  count_
};

struct Style {
  Colour fg = Colour::none, bg = Colour::none;
  bool bold = false, dim = false, italic = false, underline = false, strike = false, inverse = false;
  std::uint16_t link = 0;  // where a click leads, by its number in links.h
  bool operator==(const Style&) const = default;
};

struct Span {  // bytes [begin, begin+length) of a row's text
  std::uint32_t begin = 0, length = 0;
  Style style;
  bool operator==(const Span&) const = default;
};

// One line of the screen. Text is safe (text_safe.h) and no wider than the width it was made for.
struct Row {
  std::string text;
  std::vector<Span> spans;     // in order, not overlapping; uncovered bytes have the default style
  std::uint32_t gutter = 0;    // leading bytes that are ornament: never selected or copied
  std::uint32_t trailer = 0;   // trailing bytes that are ornament
  bool continued = false;      // wrapped from the row above: copying joins them without a newline
  bool blank_lost = false;     // … and the blank at the break is put back
  Colour fill = Colour::none;  // background of what is left of the line behind the text
  bool operator==(const Row&) const = default;
};
using Rows = std::vector<Row>;

// Bytes [begin, end) of `from` with their styles, behind what `to` holds.
void append(Row& to, const Row& from, std::size_t begin = 0, std::size_t end = std::string::npos);
void append(Rows& to, Rows from);
// The row behind an ornament; all else about it stays.
Row indented(const Row& row, std::string_view gutter, Style style = {});

// Builds a row piece by piece.
class RowBuilder {
 public:
  RowBuilder& add(std::string_view text, Style style = {});
  RowBuilder& gutter(std::string_view text, Style style = {});
  RowBuilder& fill_to(int columns, Style style = {});  // pads with spaces
  Row take();
  int columns() const { return columns_; }

 private:
  Row row_;
  int columns_ = 0;
};

}  // namespace tern
