// The MCP servers that a client hands over with a session. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/mcp/server_entry.h"

namespace tern {

// Servers on stdio and over HTTP; what else there is is named in `problems`. Their names are made fit for the
// names of tools.
McpServers client_servers(const nlohmann::json& list);

}  // namespace tern
