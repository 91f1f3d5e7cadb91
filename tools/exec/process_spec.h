// What a command is asked to be, and how it ended.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/exec/command_limits.h"
#include "tools/sandbox/sandbox_rules.h"
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

}  // namespace tern
