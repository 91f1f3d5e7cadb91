// The calls of one message on their way from arrival to result, as values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/gate/permission.h"
#include "agent/protocol/event.h"
#include "tools/set/tool_set.h"

namespace tern {

struct Denial {
  std::string tool, call_id, arguments, reason;
  bool by_hook = false;  // no rule and no mode would have let it run
};

// One call from arrival to result. `cell` is what the screen shows, `output` what the tool gave.
struct CallRun {
  ToolCall call;
  ToolPtr tool;
  ToolOutput output;
  ToolFinished cell;
  ToolResult result;  // as the model will see it: snipped, its original stored
  bool ran = false, refused = false, granted = false;
  Reach reach = Reach::own_rights;
};

struct CallsDone {
  std::vector<CallRun> runs;  // in the order of the calls
  std::vector<Denial> denials;
  std::string stuck;       // why the loop guard ended it
  bool said_no = false;    // the person refused without a note: the turn waits for them
  bool hook_ends = false;  // a hook ends the turn; people have been told
};

// What the turn logs around its calls, so that it shares their transactions and a round costs two syncs of
// the disk: `before` with the start of the first calls (or before the first question), `after` with the last
// results.
struct AroundCalls {
  std::function<void()> before = {};
  std::function<void(CallsDone&)> after = {};
};

}  // namespace tern
