// What fingers mean: input events to changes of the shell. Actions are rows of one table, so they can be rebound and listed.
#pragma once

#include "ui/input_parser.h"
#include "ui/style.h"

namespace tern {

struct Shell;

void handle_input(Shell& shell, const Input& input);
Rows key_rows(int width);  // the sheet for `?`, /keys and /help

}  // namespace tern
