// One command, run by our supervisor: `tern --supervise` is the only child this program ever starts, and
// process.cpp the only file that knows reproc. When a Process has ended, its whole tree is gone. All calls
// belong to one thread at a time; a Process may be handed to another (Jobs does). Destroying one that runs
// brings its tree down without waiting long.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/exec/supervisor.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/wall_hit.h"

namespace tern {

struct ProcessSpec {
  std::vector<std::string> argv;  // looked up in the child's PATH
  std::filesystem::path cwd;
  std::vector<std::string> env;  // NAME=value, all of it
  Sandbox sandbox;
  std::chrono::milliseconds linger =
      linger_time;  // how long strays may finish by themselves after the command ended
  std::chrono::milliseconds grace = quit_grace;  // then from TERM to KILL
  int max_processes = 4000;                      // of the tree; a fork bomb is ended there
  bool two_way = false;     // with an input and an error stream of its own; else none and one stream
  bool report_cwd = false;  // cwd_descriptor (supervisor.h) takes its last working directory
};

struct ProcessEnd {
  int status = 0;  // as a shell counts: 128 + signal when killed
  int signal = 0;
  int strays = 0;              // processes it had left running, now ended
  bool stopped = false;        // by stop()
  std::filesystem::path cwd;   // with report_cwd, when the command said so
  bool watched = false;        // the kernel reported what ran into the sandbox; else `walls` says nothing
  std::vector<WallHit> walls;  // of a sandbox with notices, in the order they were met
  std::string error;           // could not be started, sandbox refused, supervisor lost …
};

class Process {
 public:
  Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  // Empty on success, else what failed with its errno.
  std::string start(const ProcessSpec& spec);

  int output_fd() const;  // both streams in order; nonblocking
  int input_fd() const;   // of a two-way command, nonblocking; −1 when it is closed
  int errors_fd() const;
  int status_fd() const;  // readable when there is news about the end
  // Reads what is there (at most ~1 MiB a call) into `sink`. False once the output has ended.
  using Sink = std::function<void(std::string_view)>;
  bool drain(const Sink& sink);
  bool drain_errors(const Sink& sink);
  // How much of it the command's input took now, without waiting; −1 when it reads no more.
  std::ptrdiff_t write_input(std::string_view bytes);
  void close_input();
  // Polled: the end, once the tree is down. Never waits.
  std::optional<ProcessEnd> ended();
  // Brings the tree down: TERM, `grace`, KILL. Returns at once; the end arrives by ended().
  void stop(std::chrono::milliseconds grace);
  // The last resort when the supervisor itself does not answer.
  void kill_supervisor();
  int supervisor_pid() const;
  bool running() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The executable to start as supervisor (tests); empty = this program.
void set_supervisor(std::filesystem::path executable);
// So many commands will run side by side again and again: their supervisors stay for the next ones, a dozen
// at most.
void keep_supervisors(std::size_t count);
// Starts one supervisor ahead of time so that the next command need not wait for it. Cheap when one is there
// already.
void warm_supervisor();
// The same on a thread of its own, for who must not wait: call it when a turn begins and a command may
// follow.
void warm_supervisor_soon();
// Ends those that wait (before exit, and in tests that count processes).
void cool_supervisor();

}  // namespace tern
