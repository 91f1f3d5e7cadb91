// "headersHelper" of an entry: a command that prints the headers of requests as a JSON object, for tokens
// that something else makes and renews.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/mcp/server_entry.h"
#include "tools/exec/process_spec.h"

namespace tern {

// Puts what it gets over `headers`, name by name. Empty on success, or why there are none.
using MoreHeaders = std::function<std::string(NamedTexts& headers, std::stop_token stop)>;

// Runs the command of `spec` each time, for ten seconds at most. Any thread.
MoreHeaders headers_of_helper(ProcessSpec spec);

// The process that runs the helper of `server`; the caller adds the sandbox.
ProcessSpec helper_spec(const McpServer& server, const std::filesystem::path& root,
                        std::vector<std::string> env);

// The pure part: `printed` is all the command wrote to its output.
std::string take_headers(std::string_view printed, NamedTexts& headers);

}  // namespace tern
