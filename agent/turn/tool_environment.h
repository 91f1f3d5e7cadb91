// The session as its tools see it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agent/gate/permission.h"
#include "agent/hooks/hooks.h"
#include "agent/protocol/inbox.h"
#include "agent/turn/change_watch.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/tool_set.h"

namespace tern {

class Journal;  // tools/files/journal.h

// What the tools work with, owned by the session's thread: calls see copies of it, and their changes are
// applied here.
struct ToolEnvironment {
  Workspace& workspace;
  FileMemory& files;
  Journal& journal;
  Jobs& jobs;
  Sandbox sandbox;  // as it is for the workspace; each call gets the part of it that its decision says
  std::function<void(ToolEnvironment&)> ready_sandbox =
      {};  // before the first decision on a command; then gone
  std::vector<TodoItem> todos;
  std::filesystem::path spill_dir;
  std::vector<std::string> allowed_env;
  std::vector<std::string> set_env = {};  // NAME=value, set by a hook for commands
  ToolSet offered;                        // what the model may call
  std::function<std::string(const RecallQuery&)> recall;
  std::function<std::string(const ContextQuery&)> context;
  std::function<UserAnswer(const UserQuestion&)> ask_user;
  PermissionPolicy policy;
  std::function<std::string(const PermissionRule&)> keep_rule =
      {};                                               // for this project; empty, or why it could not
  bool may_ask = true;                                  // false headless: what would be asked is refused
  Mailbox<std::string> notes = Mailbox<std::string>();  // from background jobs, for the model
  Hooks hooks = {};
  ChangeWatch watch = {};
  // Of the conversation in one turn: results are cut to what is left. 0: no limit; below: one was cut for it.
  Tokens most_growth = 0;
  std::function<std::string(const Tool&)> over_limit =
      {};  // why it is called no more: it has cost too much; empty: it may be
};

}  // namespace tern
