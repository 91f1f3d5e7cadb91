// A status line of the user's own: a script gets the session's state as JSON on its standard input, in the
// shape that Claude Code gives, and what it prints is shown. It runs on a thread of its own, at most one at a
// time, and never delays a frame or a request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/protocol/event.h"
#include "agent/store/store_types.h"

namespace tern {

class StatusScript {
 public:
  struct Pace {
    std::chrono::milliseconds pause{300};  // news within it are told together
    std::chrono::seconds refresh{0};
  };
  using Runner = std::function<std::string(const std::string& json, std::stop_token stop)>;
  using Shown = std::function<void(std::string)>;
  StatusScript(Runner run, Pace pace, Shown shown);

  void tell(std::string json);  // any thread; while the script runs the newest waits
  std::chrono::milliseconds age() const;

 private:
  void work(const std::stop_token& stop);

  Runner run_;
  Pace pace_;
  Shown shown_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any news_;
  std::optional<std::string> waiting_;
  std::jthread thread_;  // last: it ends before what it uses
};

// Runs the command under our supervisor, in `cwd`, for at most five seconds. At most three lines of what it
// printed; empty when it failed.
std::string run_status_script(const std::string& command, const std::filesystem::path& cwd,
                              std::vector<std::string> env, const std::string& json, std::stop_token stop);

struct StatusFacts {
  const Meters& meters;
  std::string_view session_id, provider_model, project_dir, version;
  std::vector<std::filesystem::path> added_dirs;
  UsageTotal total;
  std::chrono::milliseconds duration{0};
  Tier tier = Tier::none;  // the last that acted
};
std::string status_json(const StatusFacts& facts);

}  // namespace tern
