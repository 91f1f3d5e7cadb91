#include "app/session/session_tools.h"

#include "agent/helpers/helper_desk.h"
#include "agent/web/web_fetch.h"
#include "tools/builtin/builtin_tools.h"

namespace tern {

ToolSet session_tools() {
  ToolSet tools = builtin_tools();
  tools.add(web_fetch_tool());
  tools.add(task_tool());  // takes its place in make_hands(), with the agents there are
  return tools;
}

}  // namespace tern
