// What a session is made of, and what its commands, queries and plan mode share: owner of all state of the
// worker. Everything but interrupt() belongs to the thread that runs it. The one catch of the program is
// around each command: what throws in here is a fault of ours; it becomes a notice, and the session lives on.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/gate/trust.h"
#include "agent/store/project_dir.h"
#include "agent/turn/agent.h"
#include "app/config/config_watch.h"
#include "app/session/branch.h"
#include "app/session/brought.h"
#include "app/session/project_rules.h"
#include "app/session/run_account.h"
#include "app/session/session_setup.h"
#include "app/session/session_tools.h"
#include "app/session/work_stop.h"
#include "compression/text/owner_thread.h"
#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/workspace/private_dir.h"

namespace tern {

class HelperDesk;
class Recording;
class SessionHooks;
class SessionMcp;
class StatusScript;

struct SessionParts {
  using Emit = std::function<void(Event)>;
  SessionParts(SessionSetup setup, Mailbox<Command>& commands, Emit emit);
  ~SessionParts();

  bool open();
  void run();
  TurnEnded once(Submit input);
  void interrupt();  // any thread
  bool settle(std::string* told);
  PermissionMode mode() const { return hands_->policy.mode; }
  std::vector<std::string> tool_names() const;
  std::string last_request();
  std::string account();

  void make_hooks();
  void forget_useless_model();
  bool choose_model();
  Meters first_meters() const;
  bool open_store();
  void ask_for_trust();
  void make_hands();
  void make_agent();
  void read_surroundings();
  std::unique_ptr<Provider> connect(const ModelInfo& model);
  void use_model(const ModelName& name);
  void refresh(std::stop_token stop);
  void reload_config();
  bool keeps_settings() const;
  void show_settings();
  void tune();
  std::string configure(const std::string& json);
  void watch_config();
  void show_meters();
  void tell_status(const Meters& meters);  // to the script of the user's status line, when there is one
  void look_at_branch();
  void adopt(OpenedSession opened);  // the context becomes that session's
  void tell_earlier(SessionOpened& event) const;
  void open_view(bool resumed);  // the screen starts anew, with the newest part of the log
  void dispatch(Command command);
  bool live(Command& command);
  void hear(const Wake& news);
  void pin_later(PinThis& pin);
  void emit(Event event);
  void export_files();
  std::string stop_jobs();  // what it stopped, for the account
  void add_account();       // what the open session has come to so far
  ProjectRules project_rules() const;

  SessionSetup setup_;
  Emit emit_;
  std::string why_;
  int exit_code_ = 1;
  Mailbox<Command>& commands_;
  Inbox inbox_;
  ProjectDir project_;
  std::unique_ptr<Store> store_;
  OpenedSession opened_;
  RunAccount account_;
  std::size_t shown_from_ = 0;  // the first log entry that was replayed
  Context context_;
  std::unique_ptr<Provider> provider_;
  std::shared_ptr<Recording> recording_, playback_;
  std::optional<Workspace> workspace_;
  FileMemory files_;
  std::unique_ptr<Journal> journal_;
  PrivateDir spill_dir_;  // goes after the jobs that write in it
  std::unique_ptr<Jobs> jobs_;
  ToolSet tools_ = session_tools();  // all that are known; hands_->offered has those the model may call
  std::unique_ptr<ToolEnvironment> hands_;
  std::unique_ptr<Compactor> compactor_;
  std::unique_ptr<ToolCalls> calls_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<TrustList> trust_;
  Surroundings where_;
  BranchMark branch_mark_;
  std::string branch_;  // as it was when last looked at
  std::vector<MemoryFile> memory_;
  Brought brought_;
  ModelName model_name_;
  std::optional<ModelName> next_model_;
  bool trusted_ = false, working_ = false, leaving_ = false, export_due_ = false, plan_due_ = false;
  WorkStop stop_;
  std::uint64_t next_question_ = 1'000'000;
  std::filesystem::file_time_type config_seen_ = std::filesystem::file_time_type::min();  // not yet
  std::vector<std::string> config_told_;  // what was wrong with it then
  std::unique_ptr<SessionMcp> mcp_;
  std::unique_ptr<HelperDesk> helpers_;
  std::unique_ptr<SessionHooks> hooks_;
  std::unique_ptr<StatusScript> status_script_;
  OwnerThread owner_;
  std::unique_ptr<ConfigWatch> config_watch_;  // goes first: it pushes commands
};

}  // namespace tern
