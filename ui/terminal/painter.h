// What changed between two screens, as the bytes a terminal needs: one string per frame, inside a
// synchronised update. Pure over (last, next); the terminal writes the string with one write().
#pragma once

#include <cstdint>
#include <ftxui/dom/node.hpp>
#include <ftxui/screen/screen.hpp>
#include <string>
#include <vector>

#include "ui/terminal/theme.h"
#include "ui/text/style.h"

namespace tern {

struct Caret {
  int x = -1, y = -1;  // negative: hidden
  bool operator==(const Caret&) const = default;
};

class Painter {
 public:
  // Empty when nothing changed. `changed` names the lines that may differ from the last frame; empty: any
  // may.
  std::string paint(const ftxui::Screen& next, Caret caret, const std::vector<bool>& changed = {});
  void forget() { known_ = false; }  // the terminal's content is unknown: the next frame is whole

 private:
  struct Lines {  // a range, both included; empty when last < first
    int first = 0, last = -1;
  };
  Lines move_rows(std::string& out, const ftxui::Screen& next, const std::vector<bool>& changed);
  void paint_row(std::string& out, const ftxui::Screen& next, int y);
  bool write_over(std::string& out, const ftxui::Screen& next, int y, int from, int to);
  void style(std::string& out, const ftxui::Pixel& pixel, const ftxui::Screen& screen);
  friend std::string ansi_lines(const Rows& rows, const Theme& theme, int columns);

  ftxui::Pixel* shown(int y) {
    return last_.data() + static_cast<std::ptrdiff_t>(places_[static_cast<std::size_t>(y)]) * columns_;
  }

  std::vector<ftxui::Pixel> last_;      // what the terminal shows
  std::vector<int> places_;             // of its lines in there: a line that moves is not copied
  std::vector<std::uint64_t> numbers_;  // of the texts of its lines; 0: not known
  int columns_ = 0, lines_ = 0;
  Caret caret_;
  bool known_ = false;
  ftxui::Pixel pen_;
};

ftxui::Screen blank_screen(int columns, int lines);

// The screen that is kept from frame to frame: a line whose row is the same as before is neither drawn nor
// compared again.
class Canvas {
 public:
  void begin(int columns, int lines);                    // another size begins blank
  void line(int y, const Row& row, const Theme& theme);  // the whole width of it
  const ftxui::Screen& screen() const { return screen_; }
  ftxui::Screen& screen() { return screen_; }
  const std::vector<bool>& changed() const { return changed_; }  // since painted()
  void painted() { changed_.assign(changed_.size(), false); }
  void forget();  // colours mean something else now

 private:
  ftxui::Screen screen_{0, 0};
  Rows rows_;
  std::vector<bool> changed_;
};

// Rows as an element: cells are written by our own width, so wrap, caret and screen always agree. It draws on
// that canvas.
ftxui::Element rows_element(Rows rows, const Theme& theme, Canvas& canvas);
void draw_row(ftxui::Screen& screen, const Row& row, const Theme& theme, int x, int y, int columns);

// Rows as lines of text with colours, each ended by CR LF: for the terminal's own scrollback.
std::string ansi_lines(const Rows& rows, const Theme& theme, int columns);

// The characters of a screen, line by line, for pictures in tests.
std::string picture(const ftxui::Screen& screen);

}  // namespace tern
