#include "ui/terminal/theme.h"

#include <algorithm>
#include <cmath>
#include <ftxui/screen/terminal.hpp>

namespace tern {
namespace {

constexpr int own = -1;                               // the terminal's default
constexpr int ansi(int index) { return -2 - index; }  // the terminal's own 16

// Column order is that of enum Colour.
const std::vector<ThemeRow> rows = {
    {"auto", Background::unknown, {own,     ansi(8), ansi(6), ansi(12), ansi(2),  ansi(2),  ansi(3),
                                   ansi(1), ansi(6), ansi(5), ansi(3),  ansi(10), ansi(11), own,
                                   own,     own,     own,     own,      own,      own,      own}},
    {"dark", Background::dark, {0xD8DEE9, 0x8C96A8, 0x7FC8D8, 0x8AB4F8, 0x8FD694, 0x7BC97F, 0xE5C462,
                                0xF08080, 0x9CDCC4, 0xC9A0E8, 0xE0B88A, 0xB5D45A, 0xF0A050, 0x12261A,
                                0x3A1C1F, 0x1B4A2D, 0x66282F, 0x0F2016, 0x301619, 0x23272F, 0x3A4458}},
    {"light", Background::light, {0x24292F, 0x5F6872, 0x0B6E82, 0x1F5FBF, 0x1A7035, 0x1A7035, 0x7A5600,
                                  0xB42318, 0x0A6650, 0x7A3EA8, 0x8A4B08, 0x4D6E00, 0xA34A00, 0xE4F6E8,
                                  0xFCEAE8, 0xC3EBCD, 0xFADCD9, 0xD8F0DE, 0xF9E0DE, 0xECEFF3, 0xCFE0F7}},
    {"high-contrast", Background::dark, {0xFFFFFF, 0xC8C8C8, 0x00E5FF, 0x9CC4FF, 0x00FF87, 0x00FF87,
                                         0xFFD700, 0xFF8A8A, 0x7CFFD9, 0xE3B3FF, 0xFFC98A, 0xC6FF3D,
                                         0xFFB02E, 0x003310, 0x580010, 0x005A1E, 0x80101C, 0x002A0D,
                                         0x45000C, 0x2A2A2A, 0x33477A}},
    {"colour-blind",
     Background::dark,  // blue and orange in place of green and red
     {0xD8DEE9, 0x8C96A8, 0x7FC8D8, 0x8AB4F8, 0x6CB6FF, 0x6CB6FF, 0xF2CC60,
      0xFF9E4A, 0x9CDCC4, 0xC9A0E8, 0xE0B88A, 0x9AD0FF, 0xF0B060, 0x10263F,
      0x3A2410, 0x1A3F68, 0x5A3A14, 0x0D2036, 0x301E0D, 0x23272F, 0x3A4458}},
};

// What stands for a tint among the 256. The nearest one to a dark green and to a dark red is the same grey.
struct Palette256Tint {
  int rgb = 0;
  std::uint8_t index = 0;
};
constexpr Palette256Tint tints_256[] = {
    {0x12261A, 22},  {0x3A1C1F, 52},  {0x1B4A2D, 28},  {0x66282F, 88},  {0x0F2016, 22},  {0x301619, 52},
    {0xE4F6E8, 194}, {0xFCEAE8, 224}, {0xC3EBCD, 157}, {0xFADCD9, 217}, {0xD8F0DE, 194}, {0xF9E0DE, 224},
    {0x003310, 22},  {0x580010, 52},  {0x005A1E, 28},  {0x80101C, 88},  {0x002A0D, 22},  {0x45000C, 52},
    {0x10263F, 17},  {0x3A2410, 58},  {0x1A3F68, 24},  {0x5A3A14, 94},  {0x0D2036, 17},  {0x301E0D, 58},
};

ftxui::Color make_colour(int value, ColourDepth depth) {
  if (depth == ColourDepth::none) return ftxui::Color::Default;
  if (depth == ColourDepth::palette256)
    for (const Palette256Tint& tint : tints_256)
      if (tint.rgb == value) return static_cast<ftxui::Color::Palette256>(tint.index);
  if (value == own) return ftxui::Color::Default;
  if (value < own) return static_cast<ftxui::Color::Palette16>(-2 - value);
  return ftxui::Color(static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 0xFF),
                      static_cast<std::uint8_t>(value & 0xFF));
}

const ThemeRow& find_row(std::string_view name, ColourDepth depth, Background background) {
  if (name == "auto" && depth >= ColourDepth::palette256 && background != Background::unknown)
    name = background == Background::light ? "light" : "dark";
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const ThemeRow& row) { return row.name == name; });
  return found == rows.end() ? rows.front() : *found;
}

double channel(int value) {
  const double share = value / 255.0;
  return share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}
double luminance(RGB c) { return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b); }

}  // namespace

const std::vector<ThemeRow>& theme_rows() { return rows; }

Theme make_theme(std::string_view name, ColourDepth depth, Background background) {
  using Support = ftxui::Terminal::Color;
  static constexpr Support supports[] = {Support::Palette1, Support::Palette16, Support::Palette256,
                                         Support::TrueColor};
  ftxui::Terminal::SetColorSupport(supports[static_cast<int>(depth)]);
  const ThemeRow& row = find_row(name, depth, background);
  Theme theme{std::string(name), {}, depth};
  for (std::size_t i = 0; i < row.rgb.size(); ++i) theme.colours[i] = make_colour(row.rgb[i], depth);
  // Body text always keeps the terminal's own colour.
  theme.colours[0] = ftxui::Color::Default;
  return theme;
}

ColourDepth detect_depth(std::string_view no_color, std::string_view colorterm, std::string_view term) {
  if (!no_color.empty() || term == "dumb") return ColourDepth::none;
  if (colorterm == "truecolor" || colorterm == "24bit") return ColourDepth::truecolor;
  for (const std::string_view known : {"kitty", "alacritty", "foot", "ghostty", "wezterm", "direct"})
    if (term.find(known) != term.npos) return ColourDepth::truecolor;
  if (term.find("256") != term.npos) return ColourDepth::palette256;
  return ColourDepth::ansi16;
}

double contrast(RGB a, RGB b) {
  const double one = luminance(a), two = luminance(b);
  return (std::max(one, two) + 0.05) / (std::min(one, two) + 0.05);
}

}  // namespace tern
