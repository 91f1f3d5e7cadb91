// What our supervisor costs: a command through it, cold and with one waiting, against the same shell started
// directly; 200 MB of output against the same pipe read by hand; a tree that does not want to end.
// Tab-separated figures for tests/bench/table.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/exec/follow.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The floor: posix_spawn, one pipe, read to the end, wait.
double direct(const char* command, std::uint64_t* bytes = nullptr) {
  const Clock::time_point begun = Clock::now();
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return 0;
  ::fcntl(out[0], F_SETPIPE_SZ, 1 << 20);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 2);
  const char* argv[] = {"/bin/bash", "-c", command, nullptr};
  pid_t pid = 0;
  ::posix_spawn(&pid, "/bin/bash", &actions, nullptr, const_cast<char**>(argv), environ);
  ::close(out[1]);
  std::vector<char> buffer(1 << 20);
  for (ssize_t got; (got = ::read(out[0], buffer.data(), buffer.size())) > 0;)
    if (bytes != nullptr) *bytes += static_cast<std::uint64_t>(got);
  ::waitpid(pid, nullptr, 0);
  ::close(out[0]);
  ::posix_spawn_file_actions_destroy(&actions);
  return milliseconds_since(begun);
}

ProcessSpec spec_of(const char* command) {
  ProcessSpec spec;
  spec.argv = {"/bin/bash", "-c", "--", command};
  spec.cwd = "/tmp";
  spec.env = child_env(current_env(), {}, {});
  return spec;
}

double ours(const ProcessSpec& spec, std::filesystem::path spill = {}, std::stop_token stop = {}) {
  const Clock::time_point begun = Clock::now();
  Process process;
  OutputRing output(std::move(spill));
  if (const std::string error = process.start(spec); !error.empty())
    std::fprintf(stderr, "%s\n", error.c_str());
  FollowLimits limits;
  limits.leave = std::chrono::seconds(60);
  follow(process, output, limits, stop, [](std::string_view) {});
  return milliseconds_since(begun);
}

// Processor time of this process and of all it has reaped, in milliseconds; load on the machine hardly
// touches it.
double processor_time() {
  double total = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    total += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
             static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
  }
  return total;
}

template <typename Run>
double processor_per_run(int count, Run run) {
  cool_supervisor();  // what it has used so far is not of these runs
  const double before = processor_time();
  for (int i = 0; i < count; ++i) run();
  cool_supervisor();
  return (processor_time() - before) / count;
}

long resident_kb() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::atol(line.c_str() + 6);
  return 0;
}

template <typename Run>
double repeat(int count, Run run) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(run());
  return median(values);
}

}  // namespace

int main(int argc, char** argv) {
  set_supervisor(argc > 1 ? argv[1] : places::supervisor());
  const int rounds = 60;
  const double floor = repeat(rounds, [] { return direct("true"); });
  const double cold = repeat(rounds, [] { return ours(spec_of("true")); });
  const double warm = repeat(rounds, [] {
    warm_supervisor();
    ::poll(nullptr, 0, 5);
    return ours(spec_of("true"));
  });
  const double floor_cpu = processor_per_run(rounds, [] { direct("true"); });
  const double ours_cpu = processor_per_run(rounds, [] { ours(spec_of("true")); });
  std::printf(
      "command started directly\t%.2f\tms\t\ncommand through us, added, cold\t%.2f\tms\t<= 5\ncommand "
      "through us, added, "
      "warm\t%.2f\tms\t<= 3.5\n",
      floor, cold - floor, warm - floor);
  std::printf("command through us, added processor time\t%.2f\tms\t<= 5\n", ours_cpu - floor_cpu);
  if (probe_sandbox().rung != SandboxRung::none) {
    const test::TempDir temp;  // with a repository, and the other protected names missing as in most projects
    std::filesystem::create_directories(temp.path() / "work/.git/hooks");
    std::filesystem::create_directory(temp.path() / "own");
    ProcessSpec caged = spec_of("true");
    caged.cwd = temp.path() / "work";
    caged.sandbox = sandbox_for({caged.cwd}, temp.path() / "own", {}, probe_sandbox());
    for (const bool own : {false, true}) {
      caged.sandbox.own_processes = own && probe_sandbox().process_namespace;
      const double added = repeat(rounds / 2, [&] {
        warm_supervisor();
        ::poll(nullptr, 0, 5);
        return ours(caged);
      });
      const double cpu = processor_per_run(rounds / 2, [&] { ours(caged); });
      const char* kind = own ? " with its own processes" : "";
      std::printf("command in the sandbox%s, added, warm\t%.2f\tms\t<= 5\n", kind, added - floor);
      std::printf("command in the sandbox%s, added processor time\t%.2f\tms\t<= 5\n", kind, cpu - floor_cpu);
    }
  }
  const char* flood = "head -c 200000000 /dev/zero";
  const std::filesystem::path spill =
      std::filesystem::temp_directory_path() / ("tern-bench-" + std::to_string(::getpid()));
  const long before = resident_kb();
  const double flood_floor = repeat(5, [&] { return direct(flood); });
  const double flood_ours = repeat(5, [&] {
    std::filesystem::remove(spill);
    return ours(spec_of(flood), spill);
  });
  std::filesystem::remove(spill);
  std::printf(
      "200 MB of output read directly\t%.0f\tms\t\n200 MB of output, added\t%.0f\tms\t<= 250\n200 MB of "
      "output, memory "
      "growth\t%ld\tKB\t<= 32768\n",
      flood_floor, flood_ours - flood_floor, resident_kb() - before);
  std::printf("a stubborn tree ended after\t%.0f\tms\t<= 1000\n", repeat(3, [] {
                std::stop_source stop;
                std::thread person([&] {
                  ::poll(nullptr, 0, 100);
                  stop.request_stop();
                });
                const double took =
                    ours(spec_of("trap '' TERM; while :; do sleep 1; done"), {}, stop.get_token()) - 100;
                person.join();
                return took;
              }));
  const auto answered = [](const char* left) { return repeat(3, [&] { return ours(spec_of(left)); }); };
  std::printf(
      "answered beside a background job\t%.0f\tms\t<= 1000\nanswered beside one that ignores "
      "TERM\t%.0f\tms\t<= 1000\n",
      answered("sleep 60 &"),
      answered("(trap '' TERM HUP INT; setsid bash -c \"trap '' TERM; while :; do sleep 60; done\" &)"));
  cool_supervisor();
  return 0;
}
