// What ten hooks cost beside their own time: ten shells under the supervisor, in the sandbox and without it,
// against the same ten shells started directly and side by side; and what a call costs when nobody listens.
// Tab-separated figures for tests/bench/table.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "agent/hooks/hook_job.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int hooks = 10, rounds = 30;

double milliseconds_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

template <class Run>
double median_of(Run run) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(run());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double direct(const char* command) {
  const auto begun = Clock::now();
  pid_t children[hooks];
  for (auto& child : children) {
    const char* argv[] = {"/bin/bash", "-c", command, nullptr};
    ::posix_spawn(&child, "/bin/bash", nullptr, nullptr, const_cast<char**>(argv), environ);
  }
  for (const auto child : children) ::waitpid(child, nullptr, 0);
  return milliseconds_since(begun);
}

double hooked(const char* command, const Sandbox& sandbox) {
  static const test::TempDir folder;
  std::vector<HookJob> jobs;
  for (int i = 0; i < hooks; ++i) {
    HookJob job{.command = {}, .request = {}, .input = "{\"tool_name\":\"Bash\"}\n"};
    job.command.argv = {"/bin/bash", "-c", command};
    job.command.cwd = folder.path();
    job.command.env = child_env(current_env(), {}, {});
    job.command.sandbox = sandbox;
    jobs.push_back(std::move(job));
  }
  const auto begun = Clock::now();
  run_jobs(std::move(jobs), {});
  return milliseconds_since(begun);
}

}  // namespace

int main() {
  set_supervisor(places::program());
  const test::TempDir folder;
  const Sandbox sandbox = sandbox_for({folder.path()}, folder.path(), {}, probe_sandbox());
  const char* command = "cat > /dev/null";
  const double own = median_of([&] { return direct("cat < /dev/null > /dev/null"); });
  const double bare = median_of([&] { return hooked(command, {}); });
  const double walled = median_of([&] { return hooked(command, sandbox); });
  std::printf("ten hooks, their own time\t%.1f\tms\t-\n", own);
  std::printf("ten hooks, added without a sandbox\t%.1f\tms\t15\n", bare - own);
  std::printf("ten hooks, added in the sandbox\t%.1f\tms\t15\n", walled - own);
  cool_supervisor();
}
