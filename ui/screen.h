// One frame: the shell's state laid out for a terminal size. The only writer of positions the mouse needs.
#pragma once

#include <ftxui/screen/screen.hpp>

#include "ui/painter.h"
#include "ui/shell.h"
#include "ui/terminal.h"

namespace tern {

struct Frame {
  ftxui::Screen screen;
  Caret caret;
};
// Everything below the transcript, top to bottom; the caret is relative to the first row.
struct Bottom {
  Rows rows;
  Caret caret;
};
Bottom bottom_part(Shell& shell, TerminalSize size);
Rows welcome_rows(const Shell& shell, int width);
Frame draw(Shell& shell, TerminalSize size);

}  // namespace tern
