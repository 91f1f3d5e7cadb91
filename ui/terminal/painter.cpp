#include "ui/terminal/painter.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "compression/text/fnv.h"
#include "ui/terminal/shift.h"
#include "ui/text/links.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::string_view no_link = "\x1b]8;;\x1b\\";
constexpr int longest_skip = 4;  // equal cells cheaper to rewrite than to jump over

bool same(const ftxui::Pixel& a, const ftxui::Pixel& b) {
  return a.character == b.character && a.bold == b.bold && a.dim == b.dim && a.italic == b.italic &&
         a.inverted == b.inverted && a.underlined == b.underlined && a.strikethrough == b.strikethrough &&
         a.foreground_color == b.foreground_color && a.background_color == b.background_color &&
         a.hyperlink == b.hyperlink;
}

bool same_look(const ftxui::Pixel& a, const ftxui::Pixel& b) {
  return a.bold == b.bold && a.dim == b.dim && a.italic == b.italic && a.inverted == b.inverted &&
         a.underlined == b.underlined && a.strikethrough == b.strikethrough &&
         a.foreground_color == b.foreground_color && a.background_color == b.background_color;
}

bool same_pen(const ftxui::Pixel& a, const ftxui::Pixel& b) {
  return same_look(a, b) && a.hyperlink == b.hyperlink;
}

void move_to(std::string& out, int x, int y) {
  out += "\x1b[" + std::to_string(y + 1) + ';' + std::to_string(x + 1) + 'H';
}

bool blank(const ftxui::Pixel& pixel) {
  return pixel.character == " " && pixel.hyperlink == 0 && !pixel.inverted && !pixel.underlined &&
         !pixel.strikethrough && pixel.background_color == ftxui::Color(ftxui::Color::Default);
}

std::uint64_t row_number(const ftxui::Pixel* row, int columns) {
  std::uint64_t number = fnv_offset;
  for (int x = 0; x < columns; ++x) number = fnv1a(row[x].character, number);
  return number;
}

// Letters on whose width all terminals agree: one code point, no symbol that fonts draw as a picture. After
// any other the cursor is placed anew.
bool certain(const std::string& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() == 1) return byte(0) < 0x80;
  if (text.size() == 2) return byte(0) >= 0xC3 && byte(0) < 0xCC;  // Latin
  if (text.size() != 3) return false;
  const unsigned code = (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  return (code >= 0x2010 && code <= 0x2027) || (code >= 0x2500 && code <= 0x259F) ||
         (code >= 0x3041 && code <= 0x9FFF) || (code >= 0xAC00 && code <= 0xD7A3);
}

class RowsNode : public ftxui::Node {
 public:
  RowsNode(Rows rows, const Theme& theme, Canvas& canvas)
      : rows_(std::move(rows)), theme_(theme), canvas_(canvas) {}
  void ComputeRequirement() override {
    requirement_.min_x = 0;
    requirement_.min_y = static_cast<int>(rows_.size());
    requirement_.flex_grow_x = 1;
  }
  void Render(ftxui::Screen&) override {
    static const Row none;
    for (int y = box_.y_min; y <= box_.y_max; ++y) {
      const auto index = static_cast<std::size_t>(y - box_.y_min);
      canvas_.line(y, index < rows_.size() ? rows_[index] : none, theme_);
    }
  }

 private:
  Rows rows_;
  const Theme& theme_;
  Canvas& canvas_;
};

const ftxui::Pixel& blank_pixel() {
  static const ftxui::Pixel blank = [] {
    ftxui::Pixel pixel;
    pixel.character = " ";
    return pixel;
  }();
  return blank;
}

}  // namespace

void Canvas::begin(int columns, int lines) {
  if (screen_.dimx() == columns && screen_.dimy() == lines) return;
  screen_ = blank_screen(columns, lines);
  rows_.assign(static_cast<std::size_t>(lines), Row{});
  changed_.assign(static_cast<std::size_t>(lines), true);
}

void Canvas::line(int y, const Row& row, const Theme& theme) {
  if (y < 0 || y >= screen_.dimy()) return;
  const auto index = static_cast<std::size_t>(y);
  const Row& shown = rows_[index];
  if (shown.text == row.text && shown.spans == row.spans && shown.fill == row.fill) return;
  rows_[index] = row;
  changed_[index] = true;
  std::fill_n(&screen_.PixelAt(0, y), screen_.dimx(), blank_pixel());
  draw_row(screen_, row, theme, 0, y, screen_.dimx());
}

void Canvas::forget() { screen_ = ftxui::Screen(0, 0); }

std::string Painter::paint(const ftxui::Screen& next, Caret caret, const std::vector<bool>& changed) {
  const bool whole = !known_ || columns_ != next.dimx() || lines_ != next.dimy();
  std::string body;
  pen_ = ftxui::Pixel();
  if (whole) {
    columns_ = next.dimx();
    lines_ = next.dimy();
    last_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(lines_), blank_pixel());
    numbers_.assign(static_cast<std::size_t>(lines_), 0);
    places_.resize(static_cast<std::size_t>(lines_));
    std::iota(places_.begin(), places_.end(), 0);
    body += "\x1b[0m\x1b[2J";
  }
  const Lines moved_lines = whole ? Lines{} : move_rows(body, next, changed);
  for (int y = 0; y < lines_; ++y) {
    const bool touched = y >= moved_lines.first && y <= moved_lines.last;
    if (whole || touched || changed.empty() || changed[static_cast<std::size_t>(y)]) paint_row(body, next, y);
  }
  style(body, ftxui::Pixel(), next);
  const bool moved = !(caret == caret_) || whole;
  known_ = true;
  caret_ = caret;
  if (body.empty() && !moved) return {};
  std::string out = "\x1b[?2026h";
  if (!body.empty()) out += "\x1b[?25l" + body;
  if (caret.x >= 0) {
    move_to(out, caret.x, caret.y);
    out += "\x1b[?25h";
  } else if (body.empty()) {
    out += "\x1b[?25l";
  }
  return out + "\x1b[?2026l";
}

// Text that follows its end moves up by a row or two and is otherwise the same: the terminal moves it, by
// deleting or inserting lines between margins, which (unlike scrolling) never adds to its scrollback. What is
// still wrong afterwards paint_row finds: the lines returned are to be looked at.
Painter::Lines Painter::move_rows(std::string& out, const ftxui::Screen& next,
                                  const std::vector<bool>& changed) {
  constexpr int looked_at = 40,
                too_few = 4;  // columns that tell a moved row; fewer changed rows are not worth a search
  int differ = 0;
  for (int y = 0; y < lines_ && differ < too_few; ++y) {
    if (!changed.empty() && !changed[static_cast<std::size_t>(y)]) continue;
    const ftxui::Pixel* row = &next.PixelAt(0, y);
    for (int x = 0; x < std::min(columns_, looked_at); ++x)
      if (shown(y)[x].character != row[x].character) {
        ++differ;
        break;
      }
  }
  const auto stays = [&](std::size_t line) { return !changed.empty() && !changed[line]; };
  if (differ < too_few) {
    for (std::size_t line = 0; line < numbers_.size(); ++line)
      if (!stays(line)) numbers_[line] = 0;
    return {};
  }
  std::vector<std::uint64_t> after(numbers_.size());
  for (int y = 0; y < lines_; ++y) {
    const auto line = static_cast<std::size_t>(y);
    if (numbers_[line] == 0) numbers_[line] = row_number(shown(y), columns_);
    after[line] = stays(line) ? numbers_[line] : row_number(&next.PixelAt(0, y), columns_);
  }
  const Shift shift = find_shift(std::exchange(numbers_, after), after);
  if (shift.by == 0) return {};
  const int up = std::max(shift.by, 0), down = std::max(-shift.by, 0);
  const int first = shift.first - down, last = shift.last + up;
  out += "\x1b[" + std::to_string(first + 1) + ';' + std::to_string(last + 1) + 'r';
  move_to(out, 0, first);
  out += "\x1b[" + std::to_string(up + down) + (up > 0 ? 'M' : 'L') + "\x1b[r";
  const auto place = [&](int y) { return places_.begin() + y; };
  std::rotate(place(first), up > 0 ? place(first + up) : place(last + 1 - down), place(last + 1));
  for (int y = first; y < first + down; ++y) std::fill_n(shown(y), columns_, blank_pixel());
  for (int y = last + 1 - up; y <= last; ++y) std::fill_n(shown(y), columns_, blank_pixel());
  return {first, last};
}

// A short way to the right: the unchanged cells between are sent again, which takes fewer bytes than a move.
// False: it is not short, or a terminal may disagree on the width of what is there.
bool Painter::write_over(std::string& out, const ftxui::Screen& next, int y, int from, int to) {
  if (to - from > longest_skip) return false;
  const ftxui::Pixel* row = &next.PixelAt(0, y);
  for (int x = from; x < to; ++x)
    if (!certain(row[x].character) && !row[x].character.empty()) return false;
  for (int x = from; x < to; ++x) {
    if (row[x].character.empty()) continue;
    style(out, row[x], next);
    out += row[x].character;
  }
  return true;
}

void Painter::paint_row(std::string& out, const ftxui::Screen& next, int y) {
  const ftxui::Pixel* row = &next.PixelAt(0, y);
  ftxui::Pixel* last = shown(y);
  int last_written = -1;  // column after the last cell sent, or -1 when the cursor is elsewhere
  int spoilt = 0;  // up to this column a terminal without clusters may have written over its neighbours
  bool doubtful = false;  // terminals may disagree on the width of what was just sent
  int end = columns_;     // from here on the next row is blank: one erase does
  while (end > 0 && blank(row[end - 1])) --end;
  bool tail_changed = false;
  for (int x = end; x < columns_; ++x) tail_changed |= !same(last[x], row[x]);
  for (int x = 0; x < end; ++x) {
    const ftxui::Pixel& pixel = row[x];
    ftxui::Pixel& known = last[x];
    const bool wide = x + 1 < columns_ && row[x + 1].character.empty();
    const bool changed = x < spoilt || !same(known, pixel) || (wide && !last[x + 1].character.empty());
    if (changed) {
      known = pixel;
      if (wide) last[x + 1] = row[x + 1];
    }
    if (changed && !pixel.character.empty()) {
      if (last_written < 0 || doubtful || !write_over(out, next, y, last_written, x)) move_to(out, x, y);
      style(out, pixel, next);
      out += pixel.character;
      last_written = x + (wide ? 2 : 1);
      doubtful = !certain(pixel.character);
      if (doubtful && pixel.character.size() > 4)
        spoilt = std::max(spoilt, x + most_columns(pixel.character));
    }
    if (wide) ++x;
  }
  if (!tail_changed && spoilt <= end) return;
  move_to(out, end, y);
  style(out, ftxui::Pixel(), next);
  out += "\x1b[K";
  for (int x = end; x < columns_; ++x) last[x] = row[x];
}

void Painter::style(std::string& out, const ftxui::Pixel& pixel, const ftxui::Screen& screen) {
  if (same_pen(pen_, pixel)) return;
  // The number tells the terminal which pieces of a wrapped link belong together.
  if (const std::string& target = screen.Hyperlink(pixel.hyperlink); pixel.hyperlink != pen_.hyperlink)
    out += target.empty() ? std::string(no_link)
                          : "\x1b]8;id=t" + std::to_string(pixel.hyperlink) + ';' + target + "\x1b\\";
  const bool only_link = same_look(pen_, pixel);
  pen_ = pixel;
  if (only_link) return;
  std::string codes = "0";
  if (pixel.bold) codes += ";1";
  if (pixel.dim) codes += ";2";
  if (pixel.italic) codes += ";3";
  if (pixel.underlined) codes += ";4";
  if (pixel.inverted) codes += ";7";
  if (pixel.strikethrough) codes += ";9";
  if (pixel.foreground_color != ftxui::Color(ftxui::Color::Default))
    codes += ';' + pixel.foreground_color.Print(false);
  if (pixel.background_color != ftxui::Color(ftxui::Color::Default))
    codes += ';' + pixel.background_color.Print(true);
  out += "\x1b[" + codes + 'm';
}

namespace {
void set_style(ftxui::Pixel& pixel, const Style& style, const Theme& theme) {
  pixel.foreground_color = theme[style.fg];
  if (style.bg != Colour::none) pixel.background_color = theme[style.bg];
  pixel.bold = style.bold;
  pixel.dim = style.dim || (theme.depth == ColourDepth::none && style.fg == Colour::muted);
  pixel.italic = style.italic;
  pixel.underlined = style.underline;
  pixel.strikethrough = style.strike;
  pixel.inverted = style.inverse;
  if (style.bg == Colour::none || theme[style.bg] != ftxui::Color(ftxui::Color::Default)) return;
  // The terminal's own 16 have no tint that can be read below all of the others. What is selected is
  // reversed; what was added, removed or said by the user has its colour in the letters.
  switch (style.bg) {
    case Colour::select_tint:
      pixel.foreground_color = ftxui::Color::Default;
      pixel.inverted = true;
      break;
    case Colour::added_word:
    case Colour::removed_word: pixel.bold = true; [[fallthrough]];
    case Colour::added_tint:
    case Colour::removed_tint: {
      const bool added = style.bg == Colour::added_word || style.bg == Colour::added_tint;
      pixel.foreground_color = theme[added ? Colour::good : Colour::bad];
      break;
    }
    case Colour::prompt_tint:
      if (style.fg == Colour::none) pixel.foreground_color = theme[Colour::user];
      break;
    default: break;
  }
}

void fill_rest(ftxui::Pixel* line, int x, int end, Colour fill, const Theme& theme) {
  if (fill == Colour::none) return;
  for (; x < end; ++x) line[x].background_color = theme[fill];
}

// Nothing is cut without a sign: in the last column, or in place of the wide letter that stands there.
void mark_cut(ftxui::Pixel* line, int x, int end) {
  int at = std::min(x, end - 1);
  if (at > 0 && line[at].character.empty()) line[at--].character = " ";
  if (at >= 0) line[at].character = "…";
}
}  // namespace

void draw_row(ftxui::Screen& screen, const Row& row, const Theme& theme, int x, int y, int columns) {
  auto span = row.spans.begin();
  const int end = std::min(x + columns, screen.dimx());
  if (y < 0 || y >= screen.dimy() || end <= 0) return;
  ftxui::Pixel* line = &screen.PixelAt(0, y);
  for (std::size_t at = 0; at < row.text.size();) {
    const Cluster cluster = next_cluster(row.text, at);
    if (x + cluster.columns > end) {
      if (row.text.find_first_not_of(' ', at) != row.text.npos) mark_cut(line, x, end);
      break;
    }
    while (span != row.spans.end() && span->begin + span->length <= at) ++span;
    const bool styled = span != row.spans.end() && span->begin <= at;
    if (cluster.columns > 0) {
      for (int part = 0; part < cluster.columns; ++part) {
        ftxui::Pixel& pixel = line[x + part];
        if (part == 0)
          pixel.character.assign(row.text, at, cluster.bytes);
        else
          pixel.character.clear();
        if (styled) set_style(pixel, span->style, theme);
        if (styled && span->style.link != 0)
          pixel.hyperlink = screen.RegisterHyperlink(link_target(span->style.link));
      }
      x += cluster.columns;
    }
    at += cluster.bytes;
  }
  fill_rest(line, x, end, row.fill, theme);
}

ftxui::Element rows_element(Rows rows, const Theme& theme, Canvas& canvas) {
  return std::make_shared<RowsNode>(std::move(rows), theme, canvas);
}

ftxui::Screen blank_screen(int columns, int lines) {
  ftxui::Screen screen(columns, lines);
  // A fresh screen holds empty cells, which would read as the right halves of wide letters.
  for (int y = 0; y < lines; ++y)
    for (int x = 0; x < columns; ++x) screen.PixelAt(x, y).character = " ";
  return screen;
}

std::string ansi_lines(const Rows& rows, const Theme& theme, int columns) {
  std::string out;
  Painter pen;
  for (Row row : rows) {
    row.fill = Colour::none;  // a full line would break in two when the terminal gets narrower
    ftxui::Screen line = blank_screen(columns, 1);
    draw_row(line, row, theme, 0, 0, columns);
    int end = columns;
    while (end > 0 && blank(line.PixelAt(end - 1, 0))) --end;
    for (int x = 0; x < end; ++x) {
      const ftxui::Pixel& pixel = line.PixelAt(x, 0);
      if (pixel.character.empty()) continue;
      pen.style(out, pixel, line);
      out += pixel.character;
    }
    pen.style(out, ftxui::Pixel(), line);
    out +=
        end < columns ? "\x1b[K\r\n" : "\r\n";  // behind a full line it would clear that line's last letter
  }
  return out;
}

std::string picture(const ftxui::Screen& screen) {
  std::string out;
  for (int y = 0; y < screen.dimy(); ++y) {
    std::string line;
    for (int x = 0; x < screen.dimx(); ++x) line += screen.PixelAt(x, y).character;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace tern
