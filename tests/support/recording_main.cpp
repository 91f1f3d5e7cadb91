// recording FILE.svg: plays `tern --demo` on a terminal in memory, presses what a user would, and writes a
// minute of it as an animated picture: each row of the screen once, each frame as a list of rows.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/project_folder.h"
#include "tests/support/pty.h"

using namespace tern;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int columns = 100, lines = 30, ink = 0xD8DEE9, paper = 0x16191F;
constexpr double cell_width = 8.4, cell_height = 18, margin = 12, head = 40;
constexpr double longest_pause = 2.5, length = 60, hold_last = 3;  // seconds

std::string number(double value) {
  char out[24];
  std::snprintf(out, sizeof out, "%.4g", value);
  return out;
}

std::string colour(int rgb) {
  char out[8];
  std::snprintf(out, sizeof out, "#%06x", static_cast<unsigned>(rgb));
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

struct Look {
  int fg, bg;
  bool bold, italic;
  bool operator==(const Look&) const = default;
};

Look look_of(const VtCell& cell) {
  Look look{cell.fg < 0 ? ink : cell.fg, cell.bg < 0 ? paper : cell.bg, cell.bold, cell.italic};
  if (cell.inverse) std::swap(look.fg, look.bg);
  return look;
}

// One row as runs of the same look; empty when nothing is to be seen.
std::string drawn(const std::vector<VtCell>& row) {
  std::string svg;
  for (std::size_t x = 0; x < row.size();) {
    const Look look = look_of(row[x]);
    const std::size_t begin = x;
    std::string text;
    for (; x < row.size() && look_of(row[x]) == look;
         x += static_cast<std::size_t>(std::max(1, row[x].columns)))
      text += row[x].text.empty() ? " " : row[x].text;
    const std::string left = number(static_cast<double>(begin) * cell_width),
                      wide = number(static_cast<double>(x - begin) * cell_width);
    if (look.bg != paper)
      svg += "<rect x=\"" + left + "\" y=\"-14\" width=\"" + wide + "\" height=\"18.5\" fill=\"" +
             colour(look.bg) + "\"/>";
    const std::size_t ink_at = text.find_first_not_of(' ');
    if (ink_at == text.npos) continue;
    text.erase(text.find_last_not_of(' ') + 1);
    svg += "<text x=\"" + number(static_cast<double>(begin + ink_at) * cell_width) + "\"";
    if (look.fg != ink) svg += " fill=\"" + colour(look.fg) + "\"";
    if (look.bold) svg += " font-weight=\"bold\"";
    if (look.italic) svg += " font-style=\"italic\"";
    svg += ">" + escaped(text.substr(ink_at)) + "</text>";
  }
  return svg;
}

class Film {
 public:
  void take(const Vt& vt) {
    const auto now = Clock::now();
    std::vector<int> frame;
    for (const auto& row : vt.cells()) frame.push_back(row_id(drawn(row)));
    if (!frames_.empty() && frame == frames_.back().rows) return;
    const double since = frames_.empty() ? 0 : std::chrono::duration<double>(now - last_).count();
    if (!frames_.empty() && since < 0.3) {  // three a second are enough
      frames_.back().rows = frame;
      return;
    }
    frames_.push_back({std::min(since, longest_pause), frame});
    last_ = now;
  }

  std::string svg(const std::string& title) const {
    double all = hold_last;
    for (const Frame& frame : frames_) all += frame.after;
    const double faster = all > length ? length / all : 1, seconds = all * faster;
    const double width = columns * cell_width + 2 * margin, tall = lines * cell_height, height = tall + 56;
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
                      number(height) + "\"><style>@keyframes play{";
    double at = 0;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      at += i == 0 ? 0 : frames_[i].after;
      out += number(at * faster / seconds * 100) + "%{transform:translateY(-" +
             std::to_string(static_cast<long>(static_cast<double>(i) * tall)) + "px)}";
    }
    out +=
        "}.film{animation:play " + number(seconds) + "s steps(1,end) infinite}text{white-space:pre}</style>";
    out += "<rect rx=\"10\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" fill=\"" +
           colour(paper) + "\"/>";
    for (const auto& [x, fill] : {std::pair{20, "#ff5f57"}, {40, "#febc2e"}, {60, "#28c840"}})
      out += "<circle cy=\"20\" r=\"6\" cx=\"" + std::to_string(x) + "\" fill=\"" + fill + "\"/>";
    out +=
        "<text x=\"50%\" y=\"24\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"12\" "
        "fill=\"#8c96a8\">" +
        title + "</text><defs>";
    for (const auto& [row, id] : rows_)
      if (!row.empty()) out += "<g id=\"" + name(id) + "\">" + row + "</g>";
    out += "</defs><svg x=\"" + number(margin) + "\" y=\"" + number(head) + "\" width=\"" +
           number(width - 2 * margin) + "\" height=\"" + number(tall) +
           "\"><g class=\"film\" font-family=\"DejaVu Sans Mono, Noto Sans Mono CJK SC, " +
           "monospace\" font-size=\"14\" fill=\"" + colour(ink) + "\" xml:space=\"preserve\">\n";
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      out += "<g transform=\"translate(0," +
             std::to_string(static_cast<long>(static_cast<double>(i) * tall)) + ")\">";
      for (std::size_t y = 0; y < frames_[i].rows.size(); ++y)
        if (frames_[i].rows[y] != 0)
          out += "<use href=\"#" + name(frames_[i].rows[y]) + "\" y=\"" +
                 std::to_string(static_cast<long>(static_cast<double>(y) * cell_height) + 14) + "\"/>";
      out += "</g>";
    }
    return out + "</g></svg></svg>\n";
  }
  std::size_t frames() const { return frames_.size(); }

 private:
  struct Frame {
    double after;  // seconds behind the one before
    std::vector<int> rows;
  };
  static std::string name(int id) {
    std::string out(1, static_cast<char>('a' + id % 26));
    return (id /= 26) > 0 ? out + std::to_string(id) : out;
  }
  int row_id(const std::string& row) {
    return row.empty() ? 0 : rows_.emplace(row, static_cast<int>(rows_.size()) + 1).first->second;
  }

  std::map<std::string, int> rows_;
  std::vector<Frame> frames_;
  Clock::time_point last_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: recording FILE.svg\n", stderr), 2;
  const ProjectFolder folder;
  Pty::Options options{.columns = columns,
                       .lines = lines,
                       .cwd = folder.project.string(),
                       .environment = folder.environment("xterm-256color"),
                       .deadline_seconds = 120,
                       .before_exec = {}};
  for (auto& [name, value] : options.environment)
    if (name == "HOME") value = folder.path.string();
  options.environment.emplace_back("COLORTERM", "truecolor");
  options.environment.emplace_back("TMPDIR", folder.path.string());
  Pty pty({places::program(), "--demo", "--config", "theme=dark"}, options);
  Film film;
  const auto until = [&](const std::string& text) {
    const bool seen = pty.until([&](const Vt& vt) {
      film.take(vt);
      return vt.text().find(text) != std::string::npos;
    });
    if (!seen) std::fprintf(stderr, "not seen: %s\n%s", text.c_str(), pty.vt().text().c_str());
    return seen;
  };
  const auto look_for = [&](double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    pty.until([&](const Vt& vt) { return film.take(vt), Clock::now() >= end; });
  };
  if (!until("enter choose")) return 1;
  look_for(2.5);
  pty.send("1");
  if (!until("Demo finished")) return 1;
  look_for(2);
  for (const char key : std::string("/context")) {
    pty.send({&key, 1});
    look_for(0.12);
  }
  pty.send("\r");
  look_for(4);
  std::ofstream(argv[1]) << film.svg("tern --demo");
  std::printf("%zu frames\n", film.frames());
  pty.signal(15);
  pty.until_exit();
  return 0;
}
