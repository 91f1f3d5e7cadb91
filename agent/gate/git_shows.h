// What a git command that only looks prints of tracked files: "git grep", and the patches of diff, show, log
// -p, stash show -p. Read from the index, so a file that only the history holds is not known. Between the
// files that know commands.
#pragma once

#include <filesystem>

#include "agent/gate/command_kinds.h"

namespace tern {

// The first wanted file whose text it would print; empty when there is none.
std::filesystem::path git_shows(const ShellCommand& command, const CommandPlace& place, const Wanted& wanted);

}  // namespace tern
