#pragma once

#include "tools/set/tool_set.h"

namespace tern {

// In the order the model sees: the rows of tools.inc.
ToolSet builtin_tools();

}  // namespace tern
