// One frame: the shell's state laid out for a terminal size. The only writer of positions the mouse needs.
#pragma once

#include "ui/painter.h"
#include "ui/shell.h"
#include "ui/terminal.h"

namespace tern {

// Everything below the transcript, top to bottom; the caret is relative to the first row.
struct Bottom {
  Rows rows;
  Caret caret;
  std::string title;  // of the frame, at its upper left
  Row rest;           // of the status line, at its lower right
};
Bottom bottom_part(Shell& shell, TerminalSize size);
Rows welcome_rows(const Shell& shell, int width, int height);
Caret draw(Shell& shell, TerminalSize size, Canvas& canvas);  // where the cursor stands

}  // namespace tern
