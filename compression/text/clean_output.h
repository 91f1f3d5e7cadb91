// What a program wrote, as a person would read it: no escape sequences, the last state of progress bars,
// repeats counted. Line numbers of the original stay known, so that a marker can name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class OutputKind {
  log,
  source
};  // of a source file only minified lines are shortened; the rest stays exact

// Escape sequences out, carriage returns and backspaces resolved. A line stays a line. Nothing to do costs
// three scans.
bool has_terminal_codes(std::string_view text);
std::string without_terminal_codes(std::string_view text);

struct CleanOutput {
  struct Jump {
    std::size_t line, original_line;  // from this line of `text` on, counted from 0
  };
  bool changed = false;
  std::string text;  // empty when nothing changed: then the input is the answer
  std::vector<Jump> jumps;
  struct Splice {
    std::size_t begin, end;  // a marker in `text`
    std::size_t from, to;    // the bytes of the original it stands for
  };
  std::vector<Splice> splices;

  std::size_t original_line(std::size_t line) const;
  // Where in the original an offset of `text` lies. A place inside a marker is where the bytes it stands for
  // begin or end.
  std::size_t original_start(std::size_t offset) const;
  std::size_t original_end(std::size_t offset) const;
};

// Runs of equal lines become one with a count; runs that differ only in digits or bars keep first and last
// (logs); long lines without spaces (minified, base64) keep both ends. Never longer than the input.
CleanOutput clean_output(std::string_view text, OutputKind kind);

}  // namespace tern
