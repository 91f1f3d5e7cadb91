// WebSearch of a session: who is asked, and the account of what it costs.
#pragma once

#include <functional>
#include <memory>

#include "agent/turn/agent.h"
#include "app/session/session_setup.h"

namespace tern {

struct SearchSetup {
  std::function<Agent&()> agent;  // called on the owner's thread
  Inbox& inbox;
  const SessionSetup& setup;  // read on the owner's thread
  std::function<std::unique_ptr<Provider>(const ModelInfo&)> connect;
};

Tool session_search_tool(const SearchSetup& world);

}  // namespace tern
