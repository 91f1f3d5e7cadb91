// The language servers of a session: which may start, where they run, and who is told what they say.
#pragma once

#include <string>
#include <vector>

#include "agent/turn/tool_calls.h"
#include "app/session/session_setup.h"

namespace tern {

// The tools' changes are watched from now on, in a trusted folder and unless the configuration says no.
// Starts nothing. Returns what is wrong with the configuration.
std::vector<std::string> watch_changes(const SessionSetup& setup, const Workspace& workspace, bool trusted,
                                       ToolEnvironment& hands);

// "/lsp …": what it did, and the page.
std::string language_server_page(const ToolEnvironment& hands, const std::string& words);

}  // namespace tern
