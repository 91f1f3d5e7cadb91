// The command of a supervisor: what was asked for, and its start, which ends in exec or in a reason.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tools/exec/command_limits.h"
#include "tools/sandbox/kept_namespaces.h"
#include "tools/sandbox/sandbox_rules.h"

namespace tern {

struct CommandRequest {
  std::vector<std::string> argv, env;
  std::string cwd;
  Sandbox sandbox;
  std::chrono::milliseconds linger = linger_time, grace = quit_grace;
  int max_processes = 4000;
  long open_files = 0;
  bool report_cwd = false, stay = false, two_way = false;
};

// Below zero: it could not be started. A reason for which it did not run is written to `errors`, which is
// closed without a word once it runs; its last working directory goes to `cwd_report`, walls it meets to
// `notices`.
pid_t start_command(const CommandRequest& request, const KeptNamespaces& kept, int errors, int cwd_report,
                    int notices);

std::string failure(std::string_view what);  // with the words of errno

}  // namespace tern
