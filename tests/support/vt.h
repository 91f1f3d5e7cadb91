// A terminal in memory: bytes of a real run go in, a screen comes out. libvterm keeps the rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct VtCell {
  std::string text;
  int fg = -1, bg = -1;  // 0xRRGGBB; −1: the default
  bool bold = false, italic = false, underline = false, inverse = false, dim = false;
  int columns = 1;
};

class Vt {
 public:
  Vt(int columns, int lines);
  ~Vt();
  void feed(std::string_view bytes);
  void resize(int columns, int lines);
  std::string text() const;  // lines with trailing blanks removed
  std::string line(int y) const;
  std::vector<std::vector<VtCell>> cells() const;
  std::string answers();  // what the terminal would send back (DA1, colours)
  int cursor_x() const, cursor_y() const;
  bool cursor_visible() const, alternate() const;
  int columns() const, lines() const;
  std::size_t bytes() const;  // fed so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The screen as an SVG picture in a terminal font.
std::string to_svg(const Vt& vt, std::string_view title);

}  // namespace tern
