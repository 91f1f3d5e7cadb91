// What a piece of text means on screen. Units speak of meanings; theme.h alone turns meanings into terminal colours.
#pragma once

#include <cstdint>
#include <string>
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
  code,  // inline code, strings
  keyword,
  lime,
  orange,  // the two bands of the context bar between good, warn and bad
  added_tint,
  removed_tint,
  added_word,
  removed_word,
  code_tint,
  select_tint,  // backgrounds
  count_
};

struct Style {
  Colour fg = Colour::none, bg = Colour::none;
  bool bold = false, dim = false, italic = false, underline = false, strike = false, inverse = false;
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
  std::vector<Span> spans;   // in order, not overlapping; uncovered bytes have the default style
  std::uint32_t gutter = 0;  // leading bytes that are ornament: never selected or copied
  bool continued = false;    // wrapped from the row above: copying joins them without a newline
  bool blank_lost = false;   // … and the blank at the break is put back
  std::string link;          // OSC 8 target of the whole row, already safe; usually empty
  bool operator==(const Row&) const = default;
};
using Rows = std::vector<Row>;

// Builds a row piece by piece.
class RowBuilder {
 public:
  RowBuilder& add(std::string_view text, Style style = {});
  RowBuilder& gutter(std::string_view text, Style style = {});
  RowBuilder& fill_to(int columns, Style style = {});  // pads with spaces so that a background reaches the edge
  Row take();
  int columns() const { return columns_; }

 private:
  Row row_;
  int columns_ = 0;
};

}  // namespace tern
