// The lines of the first screen.
#pragma once

#include <string>
#include <vector>

#include "ui/fronts/ui.h"

namespace tern {

// What this is, where one is, and one tip; the screen adds the model. kept: the session is saved.
std::vector<std::string> welcome(bool kept, const UiDeps& deps, bool plain);

}  // namespace tern
