// What was probably meant by a path that does not exist.
#pragma once

#include <string>
#include <vector>

#include "tools/workspace/workspace.h"

namespace tern {

// At most three existing paths like it, as display() shows them: a sibling by another spelling or extension,
// or the same name elsewhere in the workspace.
std::vector<std::string> look_alikes(const Workspace& workspace, const Place& place);

// "File does not exist. … Did you mean a.txt?"
std::string missing_file(const Workspace& workspace, const Place& place);

}  // namespace tern
