// What the parts of ToolCalls share: a call on its way from arrival to result.
#pragma once

#include <nlohmann/json.hpp>

#include "agent/hooks/hooks.h"
#include "agent/turn/call_run.h"
#include "tools/files/file_memory.h"
#include "tools/files/tool_changes.h"
#include "tools/sandbox/sandbox_rules.h"
#include "tools/workspace/workspace.h"

namespace tern {

struct PreparedCall {
  CallRun run;
  nlohmann::json args;
  Sandbox sandbox;     // it runs in
  bool ready = false;  // may be executed
  ToolChanges changes;
  HookWord hook_word = HookWord::none;  // of PreToolUse
  std::string hook_reason, hook_by;
  std::string told;  // by hooks, for the model: goes behind the result
};

// What the calls of one group see of the session, however long they run and whatever is changed meanwhile.
struct CallSnapshot {
  Workspace workspace;
  FileMemory files;
  CommandScanner* scanner = nullptr;
};

// The call is not run: the model reads `text`, people that it was blocked for `reason`, or what the user
// `said` to reject it. Always false.
bool refuse(CallRun& run, std::string text, const std::string& reason, CallsDone& done,
            const std::optional<std::string>& said = std::nullopt);

}  // namespace tern
