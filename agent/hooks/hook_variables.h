// The variables that a SessionStart hook sets for later commands: it writes lines of shell into the file that
// CLAUDE_ENV_FILE names, a shell of the same rights reads them, and what they change is kept. Only hooks with
// the user's trust set any: a variable such as PATH decides what a command is, outside the sandbox as well.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/hooks/hook_job.h"

namespace tern {

// The lines that a hook has written; the file is gone afterwards.
std::string take_lines(const std::filesystem::path& file);

// Reads the lines as the hook itself would; its output is for variables_in().
HookJob job_reading(const std::string& lines, const ProcessSpec& hook);

// NAME=value of what is new in `printed`, or another value than in `before`.
std::vector<std::string> variables_in(const std::string& printed, const std::vector<std::string>& before);

}  // namespace tern
