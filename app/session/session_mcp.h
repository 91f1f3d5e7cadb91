// The MCP servers of a session, as the session's owner sees them: which count, what the model is offered of them, what people are told.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "agent/mcp/approvals.h"
#include "agent/mcp/hub.h"
#include "agent/turn/tool_calls.h"
#include "app/session/session_setup.h"

namespace tern {

class SessionMcp {
 public:
  using Tell = std::function<void(Notice)>;
  // Reads the project's .mcp.json when the folder is trusted. Starts nothing.
  SessionMcp(const SessionSetup& setup, const std::filesystem::path& root, bool trusted, Tell tell);

  void offer(ToolSet& offered);                 // the two constant tools, when there are servers
  void start(std::function<void()> on_change);  // in the background; on_change may come on any thread
  void join(ToolEnvironment& hands,
            Context& context);  // before a prompt goes out: the first time, tools that fit the budget are declared
  void tell_failures();         // of servers, each once
  std::string command(const std::string& words);  // "/mcp …": what it did, and the page

 private:
  std::string page() const;
  std::string details(const McpState& state) const;
  std::string decide(const McpState& state, bool approved);

  const SessionSetup& setup_;
  std::filesystem::path root_;
  Tell tell_;
  McpApprovals approvals_;
  McpServers servers_;
  std::function<void()> on_change_;
  std::unique_ptr<McpHub> hub_;  // null without servers
  std::set<std::string> told_;   // failures
  bool declared_ = false;
};

// $XDG_STATE_HOME/tern/mcp-servers or below ~/.local/state; empty without a home.
std::filesystem::path default_approvals_file();

// The servers of a project's .mcp.json; none when there is no such file.
McpServers project_mcp_servers(const std::filesystem::path& root);

// The variables of this process.
Variables process_variables();

}  // namespace tern
