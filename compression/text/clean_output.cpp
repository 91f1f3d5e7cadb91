#include "compression/text/clean_output.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "compression/text/lines.h"
#include "compression/text/utf8.h"

namespace tern {

namespace {

constexpr char escape = '\x1b', bell = '\a', carriage_return = '\r', backspace = '\b';

bool contains(std::string_view text, char c) {
  return !text.empty() && std::memchr(text.data(), c, text.size());
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// The length of the escape sequence at the start of `text`: CSI, OSC and its kin to their end, else two
// bytes. No sequence takes a part of a character.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] == escape || !is_ascii(text[1])) return 1;
  if (text[1] == '[') {
    std::size_t i = 2;
    while (i < text.size() && text[i] >= ' ' && text[i] <= '?') ++i;
    return i < text.size() && text[i] >= '@' && text[i] <= '~' ? i + 1 : i;
  }
  if (contains("]PX^_", text[1])) {
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] == bell) return i + 1;
      if (text[i] == escape) return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : i;
      if (text[i] == '\n') return i;
    }
    return text.size();
  }
  return (text[1] == '(' || text[1] == ')') && text.size() > 2 && is_ascii(text[2]) ? 3 : 2;
}

// One line as the screen showed it last: each carriage return starts it anew, unless nothing follows.
void append_line(std::string_view line, std::string& out) {
  const std::size_t start = out.size();
  bool returned = false;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == escape) {
      i += escape_length(line.substr(i));
      continue;
    }
    ++i;
    if (c == carriage_return) {
      returned = true;
    } else if (c == backspace) {
      if (out.size() > start) out.resize(std::max(start, utf8_floor(out, out.size() - 1)));
    } else if (c != bell) {
      if (std::exchange(returned, false)) out.resize(start);
      out += c;
    }
  }
}

template <class F>
void each_line(std::string_view text, F&& f) {  // f(line without newline, has newline)
  for (std::size_t at = 0; at < text.size();) {
    const auto* end = static_cast<const char*>(std::memchr(text.data() + at, '\n', text.size() - at));
    const std::size_t stop = end ? static_cast<std::size_t>(end - text.data()) : text.size();
    f(text.substr(at, stop - at), end != nullptr);
    at = stop + 1;
  }
}

}  // namespace

bool has_terminal_codes(std::string_view text) {
  return contains(text, escape) || contains(text, carriage_return) || contains(text, backspace);
}

std::string without_terminal_codes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_line(text, [&](std::string_view line, bool newline) {
    if (has_terminal_codes(line))
      append_line(line, out);
    else
      out += line;
    if (newline) out += '\n';
  });
  return out;
}

std::size_t CleanOutput::original_line(std::size_t line) const {
  const auto after = std::upper_bound(jumps.begin(), jumps.end(), line,
                                      [](std::size_t l, const Jump& j) { return l < j.line; });
  if (after == jumps.begin()) return line;
  const Jump& jump = *std::prev(after);
  return jump.original_line + (line - jump.line);
}

namespace {

const CleanOutput::Splice* splice_before(const std::vector<CleanOutput::Splice>& splices,
                                         std::size_t offset) {
  const auto after =
      std::upper_bound(splices.begin(), splices.end(), offset,
                       [](std::size_t o, const CleanOutput::Splice& s) { return o <= s.begin; });
  return after == splices.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

std::size_t CleanOutput::original_start(std::size_t offset) const {
  const auto* splice = splice_before(splices, offset);
  if (!splice) return offset;
  return offset < splice->end ? splice->from : splice->to + (offset - splice->end);
}

std::size_t CleanOutput::original_end(std::size_t offset) const {
  const auto* splice = splice_before(splices, offset);
  if (!splice) return offset;
  return offset < splice->end ? splice->to : splice->to + (offset - splice->end);
}

namespace {

constexpr std::size_t least_equal = 3, least_alike = 6;           // lines that make a run
constexpr std::size_t long_line = 600, long_source_line = 2'000;  // bytes
constexpr std::size_t kept_front = 300, kept_back = 100;

// Digits, bars and blanks: what moves from one state of a progress line to the next.
constexpr std::array<bool, 256> make_moving() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (const char c : {' ', '#', '=', '>', '.', '-', '\t'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto moving = make_moving();

bool moves(char c) { return moving[static_cast<unsigned char>(c)]; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool alike(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (true) {
    while (i < a.size() && moves(a[i])) ++i;
    while (j < b.size() && moves(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

// A line of figures is data: only where words carry the meaning may its digits go.
bool worded(std::string_view line) {
  const auto letters = std::count_if(line.begin(), line.end(), is_letter);
  const auto digits = std::count_if(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; });
  return contains(line, '%') || letters >= 2 * digits;
}

class Cleaner {
 public:
  Cleaner(std::string_view text, OutputKind kind)
      : text_(text), log_(kind == OutputKind::log), long_(log_ ? long_line : long_source_line) {}

  CleanOutput run() {
    each_line(text_, [&](std::string_view line, bool) { take(line); });
    end_run();
    if (result_.changed) flush(text_.size());
    return std::move(result_);
  }

 private:
  struct Run {
    std::string_view first, last;
    std::size_t lines = 0;
    bool equal = true, alike = true;
  };

  void take(std::string_view line) {
    if (!continues(line)) {
      end_run();
      run_ = {line, line, 0, true, log_};
      if (line.size() > long_) shorten(line);
    }
    run_.last = line;
    ++run_.lines;
    ++line_;
  }

  bool continues(std::string_view line) {
    if (run_.lines == 0 || line.size() > long_) return false;
    const bool equal = line == run_.last;
    if (equal && (run_.equal || run_.alike)) return true;
    if (!run_.alike || line.empty() || !alike(line, run_.last)) return false;
    if (run_.equal && run_.lines >= least_equal) return false;  // a run of equals is told as one
    run_.equal = false;
    return true;
  }

  void end_run() {
    const Run run = std::exchange(run_, {});
    if (run.lines >= least_equal && run.equal) {
      replace(end_of(run.first), end_of(run.last),
              "[… the line above " + grouped(run.lines - 1) + " times more]\n", run.lines - 1, line_);
    } else if (run.lines >= least_alike && !run.equal && worded(run.first)) {
      replace(end_of(run.first), start_of(run.last), "[… " + grouped(run.lines - 2) + " lines like these]\n",
              run.lines - 2, line_ - 1);
    }
  }

  void shorten(std::string_view line) {
    const auto spaces = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' '));
    if (spaces * 12 > line.size()) return;
    const std::size_t from = utf8_floor(line, kept_front), to = utf8_floor(line, line.size() - kept_back);
    const std::string marker =
        "[… " + grouped(count_characters(line.substr(from, to - from))) + " characters]";
    replace(start_of(line) + from, start_of(line) + to, marker, 0, 0);
  }

  std::size_t start_of(std::string_view line) const {
    return static_cast<std::size_t>(line.data() - text_.data());
  }
  std::size_t end_of(std::string_view line) const {
    return std::min(start_of(line) + line.size() + 1, text_.size());
  }

  // The original from `from` to `to` gives way to `marker`, which stands for `lines` whole lines (or for
  // none); the line after it is number `next` of the original.
  void replace(std::size_t from, std::size_t to, const std::string& marker, std::size_t lines,
               std::size_t next) {
    if (to <= from || marker.size() >= to - from) return;
    if (!result_.changed) result_.text.reserve(text_.size());
    flush(from);
    result_.changed = true;
    const std::size_t begin = result_.text.size();
    result_.text += marker;
    result_.splices.push_back({begin, result_.text.size(), from, to});
    flushed_ = to;
    if (lines == 0) return;
    gone_ += lines - 1;  // the marker is a line itself
    result_.jumps.push_back({next - gone_, next});
  }

  void flush(std::size_t to) {
    result_.text.append(text_.substr(flushed_, to - flushed_));
    flushed_ = to;
  }

  std::string_view text_;
  bool log_;
  std::size_t long_;
  Run run_;
  CleanOutput result_;
  std::size_t flushed_ = 0, line_ = 0, gone_ = 0;
};

}  // namespace

CleanOutput clean_output(std::string_view text, OutputKind kind) { return Cleaner(text, kind).run(); }

}  // namespace tern
