#include "tools/builtin/builtin_tools.h"

namespace tern {

#define TOOL(name) Tool name##_tool();
#include "tools/builtin/tools.inc"
#undef TOOL

ToolSet builtin_tools() {
  ToolSet set;
#define TOOL(name) set.add(name##_tool());
#include "tools/builtin/tools.inc"
#undef TOOL
  return set;
}

}  // namespace tern
