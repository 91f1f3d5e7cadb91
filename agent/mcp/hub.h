// All MCP servers of a session. They start in the background and join when they are ready; the session's tool
// array is decided once, before its first request, and never changes after that: what is not declared then is
// found by McpTools and called by McpCall.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp/connection.h"
#include "tools/set/tool_set.h"

namespace tern {

struct McpHubSettings {
  std::string version;           // of this program
  std::filesystem::path root;    // of the workspace
  std::vector<std::string> env;  // what a child of ours gets
  std::filesystem::path places;  // where servers in the sandbox keep what they load; empty: no sandbox
  std::filesystem::path tokens;  // where those of signed-in servers are kept; see oauth_store.h
  McpPauses pauses = {};
  // A server's question for the person, see elicitation.h; called on any thread, which waits. Null: nobody is
  // there.
  std::function<nlohmann::json(const std::string& server, const nlohmann::json& params, std::stop_token stop)>
      on_question = nullptr;
  std::function<void(const std::string& server)> on_change = [](const std::string&) {
  };  // any thread: only post something
};

class McpHub {
 public:
  class OffTools;
  McpHub(std::vector<McpServer> servers, McpHubSettings settings);
  ~McpHub();  // ends all of them at the same time

  // `approved` says it of each server of the project; the others are approved by being there.
  void start(const std::function<bool(const McpServer&)>& approved);
  bool empty() const { return connections_.empty(); }
  std::vector<McpState> states() const;
  McpConnection* find(std::string_view server) const;
  // False for an unknown server. Off: its process is ended and its tools are refused.
  bool turn(std::string_view server, bool on);
  // A single tool, by "mcp__server__tool": one that is off is not found, and refused where it is in the tool
  // array already.
  void turn_tool(const std::string& name, bool on);
  bool is_off(const std::string& name) const;

  // The tools of the servers that are ready, by name. For the tool array are those of servers that stay
  // within `tokens` each, when they do so together, and those of servers that the user wants there.
  std::vector<ToolPtr> tools() const;
  std::vector<ToolPtr> affordable(std::size_t tokens) const;
  ToolPtr tool(std::string_view server,
               std::string_view tool) const;           // also by "mcp__server__tool" and an empty server
  std::string server_of(std::string_view tool) const;  // by "mcp__server__tool"; empty when there is none
  void wait_ready(std::stop_token stop, std::string_view server = {}) const;  // an empty name: all of them

  // What the model is told once of the servers that are ready and not yet told of; see server_news.h.
  std::string news();
  // What a server says of itself, to be shown with its tools: once, and again when it is another text. Any
  // thread.
  std::string words_to_show(const std::string& server);

 private:
  std::vector<ToolPtr> tools_of(const McpState& state) const;

  McpHubSettings settings_;
  std::vector<std::shared_ptr<McpConnection>> connections_;  // by name
  std::shared_ptr<OffTools> off_;                            // also of calls that outlive this
  std::map<std::string, std::string> told_;                  // server → what the model was told
  std::mutex shown_mutex_;
  std::map<std::string, std::string> shown_;  // the same of its own words
};

// The two tools that stand for all others. `hub` outlives them.
Tool mcp_tools_tool(McpHub& hub);
// `attend` runs what may take long without holding up its caller's other work.
using McpAttend = std::function<void(const std::function<void(std::stop_token)>& work)>;
Tool mcp_call_tool(McpHub& hub, McpAttend attend);
// One that is called by "mcp__server__tool" and not declared; null when no server has such a name.
ToolPtr mcp_named_tool(McpHub& hub, const McpAttend& attend, std::string_view name);

}  // namespace tern
