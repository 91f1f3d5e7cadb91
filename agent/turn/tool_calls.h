// The calls of one assistant message: checked, permitted, run, answered. Read-only neighbours run in
// parallel, everything else in order. Every call gets exactly one result, whatever happens; a wrong call gets
// one that teaches.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/compactor/meters.h"
#include "agent/hooks/hooks.h"
#include "agent/protocol/event.h"
#include "agent/protocol/inbox.h"
#include "agent/store/store.h"
#include "agent/turn/call_run.h"
#include "agent/turn/loop_guard.h"
#include "agent/turn/tool_environment.h"
#include "compression/text/owner_thread.h"

namespace tern {

struct Offer;
struct PreparedCall;
struct CallSnapshot;

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
  using Prepared = PreparedCall;
  using Snapshot = CallSnapshot;
  void prepare(Prepared& prepared, std::stop_token stop, CallsDone& done);
  void stop_repeating(CallRun& run, const nlohmann::json& args);
  void look_for_loops(CallsDone& done);
  static bool meant(CallRun& run, nlohmann::json& args);
  void expect(const Prepared& prepared, Effect effect);
  bool permitted(Prepared& prepared, std::stop_token stop, CallsDone& done);
  bool must_fail(Prepared& prepared, std::stop_token stop);
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
