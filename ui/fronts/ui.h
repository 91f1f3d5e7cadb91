// The interactive front end. Runs on the calling thread until the person leaves; pushes Commands, folds
// Events.
#pragma once

#include "ui/parts/ui_deps.h"

namespace tern {

int run_ui(UiDeps& deps);  // exit status; the account has been printed to the normal screen

}  // namespace tern
