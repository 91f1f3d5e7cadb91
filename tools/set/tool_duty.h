// What a tool is to those that are declared only when they are needed: `search` finds them, and its results
// begin with them (agent/models/found_tools.h); `relay` calls one where a wire can't call it by its own name.
#pragma once

namespace tern {

enum class ToolDuty { plain, search, relay };

}  // namespace tern
