#include "tests/support/vt.h"

#include <vterm.h>

#include <cstdint>
#include <cstdio>
#include <utility>

namespace tern {

struct Vt::State {
  VTerm* term = nullptr;
  VTermScreen* screen = nullptr;
  int x = 0, y = 0;
  bool visible = true, alternate = false;
  std::size_t fed = 0;
  std::string answers;
};

namespace {

std::string utf8(std::uint32_t c) {
  std::string out;
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  return out + static_cast<char>(0x80 | (c & 0x3F));
}

int colour(VTermScreen* screen, VTermColor value, bool fg) {
  if (fg ? VTERM_COLOR_IS_DEFAULT_FG(&value) : VTERM_COLOR_IS_DEFAULT_BG(&value)) return -1;
  vterm_screen_convert_color_to_rgb(screen, &value);
  return value.rgb.red << 16 | value.rgb.green << 8 | value.rgb.blue;
}

VtCell cell_at(VTermScreen* screen, int x, int y) {
  VTermScreenCell raw;
  vterm_screen_get_cell(screen, VTermPos{y, x}, &raw);
  VtCell cell;
  for (int i = 0;
       i < VTERM_MAX_CHARS_PER_CELL && raw.chars[i] != 0 && raw.chars[i] != static_cast<std::uint32_t>(-1);
       ++i)
    cell.text += utf8(raw.chars[i]);
  cell.columns = raw.width;
  cell.fg = colour(screen, raw.fg, true);
  cell.bg = colour(screen, raw.bg, false);
  cell.bold = raw.attrs.bold;
  cell.italic = raw.attrs.italic;
  cell.underline = raw.attrs.underline != 0;
  cell.inverse = raw.attrs.reverse;
  return cell;
}

}  // namespace

Vt::Vt(int columns, int lines) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.term = vterm_new(lines, columns);
  vterm_set_utf8(s.term, 1);
  s.screen = vterm_obtain_screen(s.term);
  static const VTermScreenCallbacks callbacks = [] {
    VTermScreenCallbacks made{};
    made.movecursor = [](VTermPos to, VTermPos, int, void* user) {
      auto* state = static_cast<State*>(user);
      state->x = to.col;
      state->y = to.row;
      return 1;
    };
    made.settermprop = [](VTermProp prop, VTermValue* value, void* user) {
      auto* state = static_cast<State*>(user);
      if (prop == VTERM_PROP_CURSORVISIBLE) state->visible = value->boolean != 0;
      if (prop == VTERM_PROP_ALTSCREEN) state->alternate = value->boolean != 0;
      return 1;
    };
    return made;
  }();
  vterm_screen_set_callbacks(s.screen, &callbacks, &s);
  vterm_screen_enable_altscreen(s.screen, 1);
  vterm_screen_reset(s.screen, 1);
  vterm_output_set_callback(
      s.term,
      [](const char* bytes, std::size_t size, void* user) {
        static_cast<State*>(user)->answers.append(bytes, size);
      },
      &s);
}

Vt::~Vt() { vterm_free(state_->term); }

void Vt::feed(std::string_view bytes) {
  state_->fed += bytes.size();
  vterm_input_write(state_->term, bytes.data(), bytes.size());
  vterm_screen_flush_damage(state_->screen);
}

void Vt::resize(int columns, int lines) { vterm_set_size(state_->term, lines, columns); }

std::string Vt::line(int y) const {
  std::string out;
  for (int x = 0; x < columns();) {
    const VtCell cell = cell_at(state_->screen, x, y);
    out += cell.text.empty() ? " " : cell.text;
    x += cell.columns > 0 ? cell.columns : 1;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Vt::text() const {
  std::string out;
  for (int y = 0; y < lines(); ++y) out += line(y) + '\n';
  return out;
}

std::vector<std::vector<VtCell>> Vt::cells() const {
  std::vector<std::vector<VtCell>> out(static_cast<std::size_t>(lines()));
  for (int y = 0; y < lines(); ++y)
    for (int x = 0; x < columns(); ++x)
      out[static_cast<std::size_t>(y)].push_back(cell_at(state_->screen, x, y));
  return out;
}

std::string Vt::answers() { return std::exchange(state_->answers, {}); }
int Vt::cursor_x() const { return state_->x; }
int Vt::cursor_y() const { return state_->y; }
bool Vt::cursor_visible() const { return state_->visible; }
bool Vt::alternate() const { return state_->alternate; }
std::size_t Vt::bytes() const { return state_->fed; }

int Vt::columns() const {
  int rows = 0, columns = 0;
  vterm_get_size(state_->term, &rows, &columns);
  return columns;
}
int Vt::lines() const {
  int rows = 0, columns = 0;
  vterm_get_size(state_->term, &rows, &columns);
  return rows;
}

namespace {

constexpr double cell_w = 8.4, cell_h = 18;

std::string hex(int rgb) {
  char out[8];
  std::snprintf(out, sizeof out, "#%06x", static_cast<unsigned>(rgb));
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string attribute(std::string_view name, double value) {
  char out[48];
  std::snprintf(out, sizeof out, " %.*s=\"%.1f\"", static_cast<int>(name.size()), name.data(), value);
  return out;
}

}  // namespace

std::string to_svg(const Vt& vt, std::string_view title) {
  const double width = vt.columns() * cell_w + 24, height = vt.lines() * cell_h + 56;
  constexpr int default_fg = 0xD8DEE9, default_bg = 0x16191F;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
                    attribute("height", height) + ">";
  svg += "<rect rx=\"10\"" + attribute("width", width) + attribute("height", height) + " fill=\"" +
         hex(default_bg) + "\"/>";
  for (const auto& [x, fill] : {std::pair{20, "#ff5f57"}, {40, "#febc2e"}, {60, "#28c840"}})
    svg += "<circle cy=\"20\" r=\"6\" cx=\"" + std::to_string(x) + "\" fill=\"" + fill + "\"/>";
  svg +=
      "<text x=\"50%\" y=\"24\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#8c96a8\">" +
      escaped(title) + "</text>";
  svg +=
      "<g font-family=\"DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace\" font-size=\"14\" "
      "xml:space=\"preserve\">";
  const auto cells = vt.cells();
  for (std::size_t y = 0; y < cells.size(); ++y)
    for (std::size_t x = 0; x < cells[y].size(); ++x) {
      const VtCell& cell = cells[y][x];
      int fg = cell.fg < 0 ? default_fg : cell.fg, bg = cell.bg < 0 ? default_bg : cell.bg;
      if (cell.inverse) std::swap(fg, bg);
      const double left = 12 + static_cast<double>(x) * cell_w, top = 40 + static_cast<double>(y) * cell_h;
      if (bg != default_bg)
        svg += "<rect" + attribute("x", left) + attribute("y", top) +
               attribute("width", cell_w * cell.columns + 0.5) + attribute("height", cell_h + 0.5) +
               " fill=\"" + hex(bg) + "\"/>";
      if (cell.text.empty() || cell.text == " ") continue;
      svg += "<text" + attribute("x", left) + attribute("y", top + 14) + " fill=\"" + hex(fg) + "\"";
      if (cell.bold) svg += " font-weight=\"bold\"";
      if (cell.italic) svg += " font-style=\"italic\"";
      svg += ">" + escaped(cell.text) + "</text>";
    }
  return svg + "</g></svg>\n";
}

}  // namespace tern
