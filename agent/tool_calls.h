// The calls of one assistant message: checked, permitted, run, answered. Read-only neighbours run in parallel, everything
// else in order. Every call gets exactly one result, whatever happens; a wrong call gets one that teaches.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/event.h"
#include "agent/inbox.h"
#include "agent/meters.h"
#include "agent/permission.h"
#include "agent/store.h"
#include "tools/sandbox.h"
#include "tools/tool.h"

namespace tern {

// What the tools may touch, owned by the session; one per worker.
struct Hands {
  Workspace& workspace;
  FileMemory& files;
  Journal& journal;
  Jobs& jobs;
  Sandbox sandbox;  // switched on for the calls the policy wants inside it
  std::vector<TodoItem> todos;
  std::filesystem::path spill_dir;
  std::vector<std::string> allowed_env;
  std::vector<const Tool*> offered;  // what the model was told about
  std::function<std::string(const RecallQuery&)> recall;
  std::function<std::string(const ContextQuery&)> context;
  PermissionPolicy policy;
  bool may_ask = true;                                  // false headless: what would be asked is refused
  Mailbox<std::string> notes = Mailbox<std::string>();  // from background jobs, for the model
};

// The same call with the same result: told at the fifth time, the turn is ended at the eighth.
class LoopGuard {
 public:
  // How often this call has just given the same result in a row.
  int repeats(const ToolCall& call) const;
  void saw(const ToolCall& call, const std::string& result);
  void changed_files();  // a test that is run again after an edit is no repeat
  static constexpr int teach_at = 5, end_at = 8;

 private:
  struct Seen {
    std::size_t call = 0, result = 0;
    int times = 0;
    bool writes = false;
  };
  std::deque<Seen> recent_;
};

struct Denial {
  std::string tool, call_id, arguments, reason;
};

// One call from arrival to result. `cell` is what the screen shows, `output` what the tool gave.
struct CallRun {
  ToolCall call;
  const Tool* tool = nullptr;
  ToolOutput output;
  ToolFinished cell;
  ToolResult result;  // as the model will see it: snipped, its original stored
  bool ran = false, refused = false, granted = false, sandboxed = false;
};

struct CallsDone {
  std::vector<CallRun> runs;  // in the order of the calls
  std::vector<Denial> denials;
  bool stuck = false;    // the loop guard ended it
  bool said_no = false;  // the person refused without a note: the turn waits for them
};

// What the turn logs around its calls, so that it shares their transactions and a round costs two syncs of the disk:
// `before` with the start of the first calls (or before the first question), `after` with the last results.
struct AroundCalls {
  std::function<void()> before = {};
  std::function<void(CallsDone&)> after = {};
};

class ToolCalls {
 public:
  ToolCalls(Hands& hands, const Context& context, Store& store, Inbox& inbox, std::function<void(Event)> emit)
      : hands_(hands), context_(context), store_(store), inbox_(inbox), emit_(std::move(emit)) {}

  // Each result is in the log, with its original, before the next group of calls starts.
  CallsDone run(const std::vector<ToolCall>& calls, std::stop_token stop, const AroundCalls& around = {});
  void forget_repeats() { guard_ = {}; }

 private:
  struct Prepared;
  void prepare(Prepared& prepared, std::stop_token stop, CallsDone& done);
  bool permitted(Prepared& prepared, std::stop_token stop, CallsDone& done);
  bool ask(Prepared& prepared, const Ask& why, std::stop_token stop, CallsDone& done);
  void execute(std::vector<Prepared*> group, std::stop_token stop);
  void run_one(Prepared& prepared, std::stop_token stop);
  void close(Prepared& prepared);
  void log_before();
  void keep_original(CallRun& run);

  Hands& hands_;
  const Context& context_;
  Store& store_;
  Inbox& inbox_;
  std::function<void(Event)> emit_;
  LoopGuard guard_;
  std::function<void()> before_;  // not yet logged
  std::uint64_t next_question_ = 1;
};

}  // namespace tern
