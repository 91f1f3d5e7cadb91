// Runs one command through the supervisor as the tests of processes and of the sandbox want it.
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/places.h"
#include "tools/child_env.h"
#include "tools/follow.h"
#include "tools/output_ring.h"
#include "tools/process.h"

namespace tern::test {

struct Ran {
  std::string text, error;
  ProcessEnd end;
  std::chrono::milliseconds took{0};
};

// A directory of its own, gone at the end.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "tern-test-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = std::filesystem::canonical(name);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
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

inline Ran run_spec(const ProcessSpec& spec, std::chrono::milliseconds limit = std::chrono::seconds(20),
                    std::stop_token stop = {}) {
  Ran ran;
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

inline Ran run_command(const std::string& command, const std::filesystem::path& cwd = "/tmp") {
  return run_spec(shell_spec(command, cwd));
}

}  // namespace tern::test
