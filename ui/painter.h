// What changed between two screens, as the bytes a terminal needs: one string per frame, inside a synchronised update.
// Pure over (last, next); the terminal writes the string with one write().
#pragma once

#include <ftxui/dom/node.hpp>
#include <ftxui/screen/screen.hpp>
#include <string>
#include <vector>

#include "ui/style.h"
#include "ui/theme.h"

namespace tern {

struct Caret {
  int x = -1, y = -1;  // negative: hidden
  bool operator==(const Caret&) const = default;
};

class Painter {
 public:
  // Empty when nothing changed. `top` is the first screen line of the region (0 in full screen).
  std::string paint(const ftxui::Screen& next, Caret caret, int top = 0);
  void forget() { known_ = false; }  // the terminal's content is unknown: the next frame is whole

 private:
  void move_rows(std::string& out, const ftxui::Screen& next, int top);
  void paint_row(std::string& out, const ftxui::Screen& next, int y, int top);
  void style(std::string& out, const ftxui::Pixel& pixel);
  friend std::string ansi_lines(const Rows& rows, const Theme& theme, int columns);

  std::vector<ftxui::Pixel> last_;
  int columns_ = 0, lines_ = 0;
  Caret caret_;
  bool known_ = false;
  ftxui::Pixel pen_;
};

ftxui::Screen blank_screen(int columns, int lines);

// Rows as an element: cells are written by our own width, so wrap, caret and screen always agree.
ftxui::Element rows_element(Rows rows, const Theme& theme);
void draw_row(ftxui::Screen& screen, const Row& row, const Theme& theme, int x, int y, int columns);

// Rows as lines of text with colours, each ended by CR LF: for the terminal's own scrollback.
std::string ansi_lines(const Rows& rows, const Theme& theme, int columns);

// The characters of a screen, line by line, for pictures in tests.
std::string picture(const ftxui::Screen& screen);

}  // namespace tern
