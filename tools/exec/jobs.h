// Background commands. One thread of its own drains all of them, and exists only while there is one. Safe
// from any thread. on_end is called on that thread: hand it something that only posts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"

namespace tern {

enum class StoppedBy { nobody, model, user };

struct JobInfo {
  std::string id, command, description;  // "bash_1"
  bool running = true;
  int exit_status = 0;
  std::string how;  // "running", "exit 0", "stopped by the user", "killed by signal 9"
  StoppedBy by = StoppedBy::nobody;
  std::chrono::milliseconds age{0};
  std::int64_t ended_ns = 0;  // when it was seen to have ended, by the wall clock
  std::uint64_t bytes = 0, lines = 0;
  std::filesystem::path spill;
};

class Jobs {
 public:
  Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();  // ends every one, within about 3 s

  std::function<void(const JobInfo&)> on_end;  // set before the first adopt()

  // Takes over a started command with what it has said so far. The id.
  std::string adopt(Process process, OutputRing output, std::string command, std::string description,
                    std::chrono::steady_clock::time_point started);
  // Takes over one that was told to end and has not yet. Nobody is told of its end, and it is in no list.
  std::string leave(Process process, std::string command);
  void wait_for_leaving(
      std::stop_token stop);          // so that the next command does not meet them; about 2 s at most
  std::vector<JobInfo> list() const;  // running first, then ended, newest first
  std::optional<JobInfo> find(const std::string& id) const;
  int running() const;
  // What came since the last read by this function; nullopt for an unknown id.
  std::optional<std::string> read_new(const std::string& id);
  std::optional<std::string> output(const std::string& id);  // all that is kept of it; what is new stays new
  // Ends it and waits until its tree is gone (≤ 3 s). False for an unknown id.
  bool stop(const std::string& id, StoppedBy by);
  void stop_all(StoppedBy by);
  void close();  // as stop_all() by the user, and nobody is told of anything afterwards
  // The person wants the command in front in the background: it follows the token, anybody may request.
  std::stop_token move_token();  // fresh for each command
  void request_move();

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::mutex move_mutex_;
  std::stop_source move_;
};

}  // namespace tern
