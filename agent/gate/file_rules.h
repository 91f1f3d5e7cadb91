// Rules on Read, Edit and Write hold for what Bash does to files, too: redirections, the words of programs
// that write, and what a program would show, folder by folder where it goes through them.
#pragma once

#include <string>
#include <vector>

#include "agent/gate/command_kinds.h"
#include "agent/gate/permission.h"
#include "tools/sandbox/sandbox.h"

namespace tern {

struct RuleHit {
  const PermissionRule* rule = nullptr;  // null: none
  bool sure = true;                      // false: it may be; nobody can tell before it runs
  std::string what;                      // the file, for people; empty for a rule on the command itself
};

// `commands`: a command and what it would start, as unwrap() lists them. Only deny and ask rules are looked
// at.
RuleHit file_rule_hit(const PermissionPolicy& policy, PermissionRule::Kind kind,
                      const std::vector<std::vector<std::string>>& commands, const CommandPlace& place);

// They hold inside a sandbox, too: whatever a command does in there, it neither reads what a rule refuses or
// asks about, nor writes it, as far as it exists.
void wall_in(Sandbox& sandbox, const PermissionPolicy& policy, const Workspace& workspace);

}  // namespace tern
