// The parts of the front end that are not the full screen: the linear log, the farewell, and pages that
// events open.
#pragma once

#include "ui/parts/ui_deps.h"

namespace tern {

struct Shell;

int run_plain(UiDeps& deps);    // plain.cpp: a linear log for screen readers, pipes and dumb terminals
int say_goodbye(UiDeps& deps);  // asks the worker to quit and prints the account it sends
void open_pages(
    Shell& shell);  // what the fold left to be opened: pages, reports, pickers, previews, taken back prompts

}  // namespace tern
