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

#include "tools/exec/process_spec.h"

namespace tern {

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
