// What `tern permissions test` tells of a command.
#pragma once

#include <string>

#include "app/config/config.h"

namespace tern {

// As a session in that folder (the current one when empty) would decide, in each mode; what was granted in
// one does not count.
std::string explained_here(Config& config, const std::string& folder, const std::string& command);

}  // namespace tern
