// "/permissions test COMMAND": what each part of a command is known to do, and what every mode would decide
// about it.
#pragma once

#include <string>
#include <string_view>

#include "agent/gate/permission.h"

namespace tern {

// For people, several lines. `policy`: its rules and its sandbox count, its mode does not.
std::string explain_command(PermissionPolicy policy, std::string_view command, const Workspace& workspace);

}  // namespace tern
