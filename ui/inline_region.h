// `--inline`: finished messages go once into the terminal's own scrollback, a live region stays below them.
// Pure but for its memory of what was printed: frame() gives the bytes to write.
#pragma once

#include <cstddef>
#include <string>

#include "ui/painter.h"
#include "ui/shell.h"
#include "ui/terminal.h"

namespace tern {

class InlineRegion {
 public:
  std::string frame(Shell& shell, TerminalSize size);
  std::string leave();  // the cursor below the region, everything printed

 private:
  Rows live_rows(Shell& shell, TerminalSize size, Caret& caret);
  Rows finished_rows(const ViewState& view, int width);

  std::size_t printed_ = 0;  // cells in the scrollback
  std::uint64_t first_cell_ = 0;
  int cursor_y_ = 0;  // of the terminal's cursor inside the region
  TerminalSize size_{0, 0};
  std::string last_;
  bool welcomed_ = false;
};

}  // namespace tern
