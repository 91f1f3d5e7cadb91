// Meanings to colours. The theme "auto" becomes dark or light when the terminal has named its background.
// Until then, and with few colours, it uses the terminal's own 16 colours, which are right on every
// background.
#pragma once

#include <array>
#include <ftxui/screen/color.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ui/text/style.h"

namespace tern {

enum class ColourDepth { none, ansi16, palette256, truecolor };
enum class Background { unknown, dark, light };

struct Theme {
  std::string name;
  std::array<ftxui::Color, static_cast<std::size_t>(Colour::count_)> colours;
  ColourDepth depth = ColourDepth::ansi16;
  ftxui::Color operator[](Colour colour) const { return colours[static_cast<std::size_t>(colour)]; }
};

struct RGB {
  int r = 0, g = 0, b = 0;
};
struct ThemeRow {  // one row a theme: the same table serves pictures, contrast test and screen
  std::string_view name;
  Background background = Background::dark;
  std::array<int, static_cast<std::size_t>(Colour::count_)>
      rgb;  // 0xRRGGBB, −1 = terminal's own, −2−n = ANSI colour n
};
const std::vector<ThemeRow>& theme_rows();
Theme make_theme(std::string_view name, ColourDepth depth, Background background);

// From NO_COLOR, COLORTERM, TERM, as the environment says (get: name → value or "").
ColourDepth detect_depth(std::string_view no_color, std::string_view colorterm, std::string_view term);
double contrast(RGB a, RGB b);  // WCAG ratio, for the test

}  // namespace tern
