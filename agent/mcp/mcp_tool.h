// A server's tool as a Tool of the session: its name, its effects, its run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/mcp/connection.h"
#include "tools/set/tool.h"

namespace tern {

// "mcp__server__tool": at most 64 letters, digits, '_' and '-', as every wire takes them. What had to be
// changed gets a hash behind it, so that two tools never share a name.
std::string mcp_tool_name(std::string_view server, std::string_view tool);

using McpCaller = std::function<ToolOutput(const nlohmann::json& args, ToolContext& ctx)>;
// What the server says of its tool is believed only when the user trusts it.
Tool mcp_tool(const McpServer& server, const McpToolInfo& info, McpCaller call);

}  // namespace tern
