// The calls of one assistant message: checked, permitted, run, answered. Read-only neighbours run in
// parallel, everything else in order. Every call gets exactly one result, whatever happens; a wrong call gets
// one that teaches.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/compactor/meters.h"
#include "agent/gate/permission.h"
#include "agent/hooks/hooks.h"
#include "agent/protocol/event.h"
#include "agent/protocol/inbox.h"
#include "agent/store/store.h"
#include "agent/turn/change_watch.h"
#include "agent/turn/loop_guard.h"
#include "compression/text/owner_thread.h"
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
  ToolSet offered;  // what the model may call
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
  std::function<std::string(const Tool&)> over_limit =
      {};  // why it is called no more: it has cost too much; empty: it may be
};

struct Denial {
  std::string tool, call_id, arguments, reason;
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

struct Offer;

class ToolCalls {
 public:
  ToolCalls(ToolEnvironment& hands, const Context& context, Store& store, Inbox& inbox,
            std::function<void(Event)> emit)
      : hands_(hands), context_(context), store_(store), inbox_(inbox), emit_(std::move(emit)) {}

  // Each result is in the log, with its original, before the next group of calls starts.
  CallsDone run(const std::vector<ToolCall>& calls, std::stop_token stop, const AroundCalls& around = {});
  void forget_repeats() { guard_ = {}; }
  // A command that a person gave: with their authority, into no log.
  ToolOutput run_for_person(ToolPtr tool, const nlohmann::json& args, const std::string& call_id,
                            std::stop_token stop);
  // A call that a file asks for: decided like one of the model's, into no log. `refused` and the output's
  // note say that it did not run.
  CallRun run_for_file(ToolPtr tool, const nlohmann::json& args, const std::string& call_id,
                       std::stop_token stop);

 private:
  struct Prepared;
  struct Snapshot;
  void prepare(Prepared& prepared, std::stop_token stop, CallsDone& done);
  void look_for_loops(CallsDone& done);
  static bool meant(CallRun& run, nlohmann::json& args);
  bool permitted(Prepared& prepared, std::stop_token stop, CallsDone& done);
  bool ask(Prepared& prepared, const Ask& why, std::stop_token stop, CallsDone& done);
  // call_hooks.cpp
  bool before_call(Prepared& prepared, std::stop_token stop, CallsDone& done);
  std::optional<bool> hooks_permit(Prepared& prepared, const Ask& why, std::stop_token stop, CallsDone& done);
  void after_call(Prepared& prepared, std::stop_token stop, CallsDone& done);
  HookAnswer ask_hooks(HookEvent event, const Prepared& prepared, const nlohmann::json& more,
                       std::stop_token stop, CallsDone& done);
  void take_permissions(const HookAnswer& answer);
  bool changed_input(Prepared& prepared, const HookAnswer& answer, CallsDone& done);
  void grant(const Offer& offer);
  void start(std::vector<Prepared*> group, std::stop_token stop);
  void execute(const std::vector<Prepared*>& group, std::stop_token stop);
  void work(const std::vector<Prepared*>& group, std::stop_token stop);
  void run_one(Prepared& prepared, const Snapshot& seen, std::stop_token stop);
  void look_at_changes(CallRun& run, const nlohmann::json& args, const Workspace& workspace,
                       std::stop_token stop);
  void settle_walls(Prepared& prepared, std::stop_token stop, CallsDone& done);
  void close(Prepared& prepared);
  void log_before();
  void keep_original(CallRun& run, const nlohmann::json& args);

  ToolEnvironment& hands_;
  const Context& context_;
  Store& store_;
  Inbox& inbox_;
  std::function<void(Event)> emit_;
  LoopGuard guard_;
  OwnerThread owner_;
  std::function<void()> before_;  // not yet logged
  Tokens entered_ = 0;  // results of the message being answered; the conversation has them when all are there
  std::uint64_t next_question_ = 1;
};

}  // namespace tern
