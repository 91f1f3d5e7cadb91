// `tern acp`: the agent's side of the Agent Client Protocol, version 1, for editors: JSON-RPC 2.0, a message
// a line. The client's messages are read here, on one thread; each session works on a thread of its own.
#pragma once

#include "app/acp/acp_world.h"

namespace tern {

// Until the end of `in`: turns are interrupted, sessions settled. The exit status.
int serve_acp(const AcpWorld& world);

}  // namespace tern
