// Each command of a line with the place it runs in and what it would start.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/command_kinds.h"

namespace tern {

struct CommandStep {
  const ShellCommand* command;
  std::filesystem::path cwd;
  bool lost;                                        // after a cd nobody can follow
  std::vector<std::vector<std::string>> unwrapped;  // it, and what it would start
};

// `script` is the parsed `line`, and must outlive the steps.
std::vector<CommandStep> steps_of(const ShellScript& script, std::string_view line,
                                  const Workspace& workspace);

// "/usr/bin/ls" is "ls"; no other path is.
ShellCommand bare(ShellCommand command);

}  // namespace tern
