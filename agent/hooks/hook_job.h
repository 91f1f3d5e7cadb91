// Runs handlers side by side: commands under the supervisor with their input on stdin, http as a POST. One
// thread watches all commands; each http handler has one of its own. What is over its time is ended with all
// it started, and so is everything when `stop` is asked.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/hooks/hook_outcome.h"
#include "agent/models/http.h"
#include "tools/exec/process.h"

namespace tern {

struct HookJob {
  ProcessSpec command;                      // where there is no request
  std::optional<HttpRequest> request = {};  // its body is set here
  std::string input;                        // JSON, one line
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds slow{3'000};
  std::function<void()> on_slow = {};  // a command has not ended by then; on the thread that watches
};

// In the order of the jobs; returns when all have ended.
std::vector<HookOutcome> run_jobs(std::vector<HookJob> jobs, std::stop_token stop);

// Of each stream of a handler; what is more is dropped, and said.
inline constexpr std::size_t hook_output_limit = 1u << 20;

}  // namespace tern
