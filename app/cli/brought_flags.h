// What configuration and flags say of hooks, plugins and MCP servers.
#pragma once

#include <string>

#include "app/config/config.h"
#include "app/config/options.h"
#include "app/session/session_setup.h"

namespace tern {

// `error` when a file or folder that was named is not there.
void set_brought(const Options& options, const Config& config, SessionSetup& setup, std::string& error);

}  // namespace tern
