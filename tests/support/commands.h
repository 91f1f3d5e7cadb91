// Runs one command through the supervisor as the tests of processes and of the sandbox want it.
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/exec/follow.h"
#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"

namespace tern::test {

struct CommandRan {
  std::string text, error;
  ProcessEnd end;
  std::chrono::milliseconds took{0};
};

inline ProcessSpec shell_spec(const std::string& command, const std::filesystem::path& cwd) {
  static const bool chosen = (set_supervisor(places::supervisor()), true);
  (void)chosen;
  ProcessSpec spec;
  spec.argv = {"/bin/bash", "-c", "--", command};
  spec.cwd = cwd;
  spec.env = child_env(current_env(), {}, {});
  return spec;
}

inline CommandRan run_spec(const ProcessSpec& spec,
                           std::chrono::milliseconds limit = std::chrono::seconds(20),
                           std::stop_token stop = {}) {
  CommandRan ran;
  Process process;
  OutputRing output;
  const auto begun = std::chrono::steady_clock::now();
  ran.error = process.start(spec);
  if (!ran.error.empty()) return ran;
  FollowLimits limits;
  limits.time = limit;
  const Following following = follow(process, output, limits, stop, {});
  ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  ran.end = following.end;
  if (following.how == Following::How::time_up) ran.error = "time up";
  ran.text = output.text();
  return ran;
}

inline CommandRan run_command(const std::string& command, const std::filesystem::path& cwd = "/tmp") {
  return run_spec(shell_spec(command, cwd));
}

}  // namespace tern::test
