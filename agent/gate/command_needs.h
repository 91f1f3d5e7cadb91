// What a line is known to need beyond a sandbox in which it may only look. Each answers with nothing, or with
// the reason.
#pragma once

#include <string>
#include <vector>

#include "agent/gate/command_steps.h"
#include "agent/gate/programs.h"

namespace tern {

// What the table says about these words; null where it has no row for them. Unknown does not mean harmless:
// only a sandbox can tell.
const Does* effect_of(const std::vector<std::string>& words);

// "git commit writes .git": the program, its verb where the row has verbs, and what the row says.
std::string said_of(const Does& row, const std::vector<std::string>& words);

struct Need {
  Effects does = Effects::unknown;
  std::string why;  // of the first part that needs that much; empty: nothing is known
};
Need needed(const std::vector<CommandStep>& steps, const Workspace& workspace);

// It names a file that keys are kept in.
std::string shows_secret(const std::vector<CommandStep>& steps, const Workspace& workspace);
bool names_secret(const ShellCommand& command, const CommandPlace& place);

// It is known to write a file outside the workspace.
std::string writes_outside(const std::vector<CommandStep>& steps, const Workspace& workspace);

// Its git works on another repository than the workspace's own, or with settings of its own.
std::string other_repository(const std::vector<CommandStep>& steps, const Workspace& workspace);

// It rewrites commits and also moves HEAD: what it will rewrite can't be looked up now.
std::string rewrites_elsewhere(const std::vector<CommandStep>& steps);

// It makes commits, and git's settings say that they are signed: the keys are hidden in a sandbox.
std::string signs_commits(const std::vector<CommandStep>& steps, const Workspace& workspace);

}  // namespace tern
