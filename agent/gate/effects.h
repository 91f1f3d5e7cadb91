// What a command is known to do beyond looking. Unknown is not harmless; it means that only a sandbox can
// tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/programs.h"

namespace tern {

// What the table says of these words; null: nothing.
const Does* effect_of(const std::vector<std::string>& words);

// "git commit writes .git": the program, its verb where the row has verbs, and what the row says.
std::string said_of(const Does& row, const std::vector<std::string>& words);

}  // namespace tern
