#include "ui/text/ansi_text.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "ui/text/text_safe.h"

namespace tern {
namespace {

// Of the terminal's first eight: black, red, green, yellow, blue, magenta, cyan, white.
constexpr Colour nearest[] = {Colour::muted, Colour::bad,     Colour::good,   Colour::warn,
                              Colour::user,  Colour::keyword, Colour::accent, Colour::none};

Colour of_rgb(int r, int g, int b) {
  const int most = std::max({r, g, b}), least = std::min({r, g, b});
  if (most - least < 40) return most < 160 ? Colour::muted : Colour::none;
  const int middle = (most + least) / 2;
  return nearest[(r > middle ? 1 : 0) + (g > middle ? 2 : 0) + (b > middle ? 4 : 0)];
}

Colour of_palette(int index) {
  if (index < 8) return nearest[index];
  if (index < 16) return index == 8 ? Colour::muted : nearest[index - 8];
  if (index >= 232) return index < 244 ? Colour::muted : Colour::none;
  static constexpr int levels[] = {0, 95, 135, 175, 215, 255};
  const int cube = index - 16;
  return of_rgb(levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]);
}

class Sgr {
 public:
  explicit Sgr(Style base) : base_(base), style_(base) {}

  const Style& style() const { return style_; }

  // What stands between "\x1b[" and "m".
  void obey(std::string_view parameters) {
    std::vector<int> codes;
    for (std::size_t at = 0; at <= parameters.size();) {
      const std::size_t end = std::min(parameters.find_first_of(";:", at), parameters.size());
      int code = 0;
      std::from_chars(parameters.data() + at, parameters.data() + end, code);
      codes.push_back(code);
      at = end + 1;
    }
    for (std::size_t i = 0; i < codes.size(); ++i) i = one(codes, i);
  }

 private:
  // Answers the last code it used.
  std::size_t one(const std::vector<int>& codes, std::size_t i) {
    const int code = codes[i];
    const auto at = [&](std::size_t k) { return k < codes.size() ? std::clamp(codes[k], 0, 255) : 0; };
    if (code == 38 || code == 48) {
      const bool palette = at(i + 1) == 5;
      if (code == 38) style_.fg = palette ? of_palette(at(i + 2)) : of_rgb(at(i + 2), at(i + 3), at(i + 4));
      return i + (palette ? 2 : 4);
    }
    if (code == 0) style_ = base_;
    if (code == 1) style_.bold = true;
    if (code == 3) style_.italic = true;
    if (code == 4) style_.underline = true;
    if (code == 7) style_.inverse = true;
    if (code == 9) style_.strike = true;
    if (code == 22) style_.bold = false;
    if (code == 23) style_.italic = false;
    if (code == 24) style_.underline = false;
    if (code == 27) style_.inverse = false;
    if (code == 29) style_.strike = false;
    if (code == 39) style_.fg = base_.fg;
    if (code >= 30 && code <= 37) style_.fg = nearest[code - 30];
    if (code >= 90 && code <= 97) style_.fg = of_palette(code - 82);
    return i;
  }

  Style base_, style_;
};

// The next SGR sequence of a line: where it begins, where its parameters end. npos: none.
struct Sequence {
  std::size_t begin = std::string_view::npos, end = 0;
};
Sequence next_sequence(std::string_view line, std::size_t from) {
  for (std::size_t at = line.find("\x1b[", from); at != line.npos; at = line.find("\x1b[", at + 2)) {
    const std::size_t end = line.find_first_not_of("0123456789;:", at + 2);
    if (end != line.npos && line[end] == 'm') return {at, end};
  }
  return {};
}

}  // namespace

Rows ansi_rows(std::string_view text, Style base) {
  Rows rows;
  Sgr pen(base);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    RowBuilder row;
    std::size_t from = 0;
    for (Sequence found = next_sequence(line, 0); found.begin != line.npos;
         found = next_sequence(line, from)) {
      row.add(safe_text(line.substr(from, found.begin - from), Lines::one), pen.style());
      pen.obey(line.substr(found.begin + 2, found.end - found.begin - 2));
      from = found.end + 1;
    }
    row.add(safe_text(line.substr(from), Lines::one), pen.style());
    rows.push_back(row.take());
    at = end + 1;
  }
  return rows;
}

}  // namespace tern
