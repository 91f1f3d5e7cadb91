#pragma once

#include "tools/set/tool_set.h"

namespace tern {

// Every tool a session has from the start: the built-in ones, and those that stand on the rooms of the agent.
ToolSet session_tools();

}  // namespace tern
