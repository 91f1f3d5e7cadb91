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
Frame draw(Shell& shell, TerminalSize size);

}  // namespace tern
