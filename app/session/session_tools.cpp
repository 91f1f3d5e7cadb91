#include "app/session/session_tools.h"

#include "agent/helpers/helper_desk.h"
#include "agent/web/web_fetch.h"
#include "agent/web/web_search.h"
#include "tools/builtin/builtin_tools.h"

namespace tern {

ToolSet session_tools() {
  ToolSet tools = builtin_tools();
  tools.add(web_fetch_tool());
  tools.add(web_search_tool());  // as task_tool: its place is taken when the provider is known
  tools.add(task_tool());        // takes its place in make_hands(), with the agents there are
  return tools;
}

}  // namespace tern
