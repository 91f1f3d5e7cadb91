// MCP servers on the command line: the flags of a session, and `tern mcp`.
#pragma once

#include <string>

#include "app/config/config.h"
#include "app/config/options.h"
#include "app/session/session_setup.h"

namespace tern {

// The servers of the user's file and of --mcp-config; `error` when a file is not there.
void set_mcp(const Options& options, const Config& config, SessionSetup& setup, std::string& error);

// `tern mcp list|get|add|add-json|remove|import`: 0 done, 1 nothing found or not possible, 2 wrong words.
int run_mcp(const Options& options, const Config& config);

}  // namespace tern
