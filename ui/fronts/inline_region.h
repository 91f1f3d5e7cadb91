// `--inline`: finished messages go once into the terminal's own scrollback, a live region stays below them.
// After a resize only the region is drawn again: what stands above is the terminal's, and nothing of it is
// cleared or said twice. Pure but for its memory of what was printed: frame() gives the bytes to write.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/shell/shell.h"
#include "ui/terminal/painter.h"
#include "ui/terminal/terminal.h"

namespace tern {

// Whether the terminal that this environment tells of breaks its lines anew when it gets narrower. Where
// nothing is known it does not: a region that is looked for too high would clear what stands above it. What
// the terminal itself answers counts more.
bool reflows_by_name(const std::function<std::string_view(const char*)>& variable);

class InlineRegion {
 public:
  std::string frame(Shell& shell, TerminalSize size);
  std::string leave();  // takes the region away; the cursor stands where it began
  // Whether the terminal breaks its lines anew when it gets narrower, so that the region takes more of them.
  void set_reflows(bool reflows) { reflows_ = reflows; }

 private:
  Rows live_rows(Shell& shell, TerminalSize size, Caret& caret);
  Rows finished_rows(const ViewState& view, int width);
  int lines_above(int columns) const;

  std::size_t printed_ = 0;  // cells in the scrollback
  std::uint64_t first_cell_ = 0;
  int cursor_y_ = 0;  // of the terminal's cursor inside the region
  int cursor_x_ = 0;
  bool reflows_ = false;
  std::vector<int> widths_;  // of the region's rows
  TerminalSize size_{0, 0};
  std::string last_;
  bool welcomed_ = false;
};

}  // namespace tern
