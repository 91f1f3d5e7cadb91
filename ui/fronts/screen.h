// One frame: the shell's state laid out for a terminal size. The only writer of positions the mouse needs.
#pragma once

#include "ui/shell/shell.h"
#include "ui/terminal/frame.h"
#include "ui/terminal/painter.h"
#include "ui/terminal/terminal.h"

namespace tern {

// Everything below the transcript, top to bottom; the caret is relative to the first row.
struct Bottom {
  Rows rows;
  Caret caret;
  int composer_row = -1;  // where the prompt's text begins; negative: no prompt is shown
  int composer_left = 0, composer_rows = 0, hidden_sign = 0;
  Frame frame;  // of the composer: its mode, and what has no room in the status line
};
Bottom bottom_part(Shell& shell, TerminalSize size);
Rows welcome_rows(const Shell& shell, int width, int height);
// When the screen as it was drawn at `drawn_ms` is no longer right although nothing happened; negative:
// never.
std::int64_t stale_at_ms(const Shell& shell, std::int64_t drawn_ms);
Caret draw(Shell& shell, TerminalSize size, Canvas& canvas);  // where the cursor stands

}  // namespace tern
