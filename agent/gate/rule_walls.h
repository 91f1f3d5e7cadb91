// Rules on files hold inside a sandbox, too: whatever a command does in there, it neither reads what a rule
// refuses or asks about, nor writes it, as far as it exists.
#pragma once

#include "agent/gate/permission.h"
#include "tools/sandbox/sandbox.h"

namespace tern {

void wall_in(Sandbox& sandbox, const PermissionPolicy& policy, const Workspace& workspace);

}  // namespace tern
