// The hooks of a session: which of them hear an event, their runs, and what the user has said of each.
// Belongs to the owner's thread; handlers run on others. An entry of a project, or one written for another
// agent, runs only once it is approved, and only as it was approved. What has no rights of its own runs in
// the sandbox, and not at all where there is none.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/extend/entry_approvals.h"
#include "agent/hooks/hook_entry.h"
#include "agent/hooks/hook_job.h"
#include "agent/protocol/event.h"

namespace tern {

struct HookWorld {
  std::filesystem::path root;    // the project
  std::vector<std::string> env;  // NAME=value, of every command
  std::function<Sandbox()> sandbox = {};
  std::function<std::string()> common = {};             // JSON object: the fields of every event but its name
  std::function<std::string()> session = {};            // its id, for CLAUDE_CODE_SESSION_ID
  std::function<std::filesystem::path()> scratch = {};  // a private folder, where no sandbox brings one
  std::function<TimePoint()> now = {};
  std::function<void(Notice)> tell = [](Notice) {};
  std::function<void(std::string words)> wake = [](std::string) {};  // for the model; from any thread
  std::function<void(const std::function<void()>&)> attend = [](const std::function<void()>& work) {
    work();
  };
  std::function<std::string(const std::string& name)> variable = {};  // of the environment, for headers
  std::function<std::vector<HookOutcome>(std::vector<HookJob>, std::stop_token)> run = run_jobs;
};

struct HookRow {  // as /hooks shows it
  HookEntry entry;
  EntryAnswer answer = EntryAnswer::unknown;
  struct Last {
    TimePoint when;
    std::chrono::milliseconds took{0};
    std::string shown;
  };
  std::optional<Last> last;
  bool spent = false;  // `once`, and it has run
};

class HookRunner {
 public:
  HookRunner(HookEntries entries, EntryApprovals approvals, HookWorld world);
  ~HookRunner();

  std::uint32_t heard() const;  // for Hooks
  HookAnswer ask(const HookCall& call, std::stop_token stop);
  void ask_aside(const HookCall& call);  // nobody waits for the answer

  const std::vector<HookRow>& rows();
  const std::vector<std::string>& skipped() const { return skipped_; }
  std::size_t waiting() const;  // for an answer of the user
  // `which` counts from 0. What is wrong, empty on success.
  std::string decide(std::size_t which, EntryAnswer answer);

 private:
  struct Ended {
    std::size_t row;
    HookRow::Last last;
    std::thread::id thread;
  };
  bool begin(const HookCall& call);
  std::vector<std::size_t> chosen(const HookCall& call);
  bool ready(HookRow& row);
  HookJob job_for(const HookRow& row, const std::string& input) const;
  HookAnswer take(std::size_t row, const HookOutcome& outcome);
  std::filesystem::path env_file_of(const HookRow& row) const;
  void take_variables(const HookRow& row, const ProcessSpec& spec, HookAnswer& all, std::stop_token stop);
  void begin_aside(std::vector<std::size_t> rows, const std::string& input);
  void collect();
  std::string name_of(const HookEntry& entry) const;
  std::string ways_out(const HookRow& row);

  HookWorld world_;
  EntryApprovals approvals_;
  std::vector<HookRow> rows_;
  std::vector<std::string> skipped_;
  Sandbox sandbox_;               // as it is for the event at hand
  std::set<std::string> warned_;  // hashes of what has changed, or has no sandbox: said once
  std::set<std::string> hinted_;  // hashes of those whose way out of the sandbox was told
  std::mutex mutex_;              // guards `ended_`
  std::vector<Ended> ended_;      // of those that ran aside
  std::vector<std::jthread> aside_;
};

}  // namespace tern
