// Ctrl-R: prompts said before, found as one types; the composer shows the hit.
#pragma once

#include <string_view>

#include "ui/terminal/input_parser.h"

namespace tern {

struct Shell;

void start_reverse(Shell& shell);
void reverse_key(Shell& shell, const KeyPress& press);
void reverse_paste(Shell& shell, std::string_view line);

}  // namespace tern
