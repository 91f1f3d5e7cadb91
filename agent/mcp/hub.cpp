#include "agent/mcp/hub.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/mcp/http_link.h"
#include "agent/mcp/mcp_tool.h"
#include "agent/mcp/rpc.h"
#include "agent/mcp/stdio_link.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestNews = 2'048;

ProcessSpec spec_of(const McpServer& server, const McpHubSettings& settings) {
  ProcessSpec spec;
  spec.argv = {server.command};
  spec.argv.insert(spec.argv.end(), server.args.begin(), server.args.end());
  spec.cwd = server.cwd.empty() ? settings.root : settings.root / server.cwd;
  spec.env = settings.env;
  spec.env.push_back("CLAUDE_PROJECT_DIR=" + settings.root.string());
  for (const auto& [name, value] : server.env) {
    const std::string key = name + "=";
    std::erase_if(spec.env, [&](const std::string& entry) { return entry.starts_with(key); });
    spec.env.push_back(key + value);
  }
  return spec;
}

McpConnection::World world_of(const McpHubSettings& settings) {
  McpConnection::World world;
  world.make_link = [settings](const McpServer& server) -> std::unique_ptr<McpLink> {
    if (server.transport == McpTransport::http)
      return std::make_unique<HttpLink>(server.url, server.headers, server.call_timeout);
    return std::make_unique<StdioLink>(spec_of(server, settings));
  };
  world.settings.version = settings.version;
  world.settings.roots = {settings.root};
  world.pauses = settings.pauses;
  world.on_change = settings.on_change;
  return world;
}

// About four characters a token; what a server declares is counted the same on every wire.
std::size_t tokens_of(const std::vector<ToolPtr>& tools) {
  std::size_t bytes = 0;
  for (const ToolPtr& tool : tools) bytes += tool->name.size() + tool->description.size() + tool->schema.size() + 32;
  return bytes / 4;
}

std::string news_of(const McpState& state) {
  std::string text = "[The MCP server \"" + state.server.name + "\" is ready. ";
  if (state.tools.empty()) return text + "It has no tools.]";
  text += "McpTools shows its tools, McpCall calls them:";
  for (const McpToolInfo& tool : state.tools) text += ' ' + tool.name;
  text = clipped(text, kLongestNews) + ".";
  if (!state.info.instructions.empty()) text += "\nThe server says of itself: " + clipped(state.info.instructions, kLongestNews);
  return text + "]";
}

}  // namespace

McpHub::McpHub(std::vector<McpServer> servers, McpHubSettings settings) : settings_(std::move(settings)) {
  for (McpServer& server : servers)
    connections_.push_back(std::make_shared<McpConnection>(std::move(server), world_of(settings_)));
}

McpHub::~McpHub() {
  for (const auto& each : connections_) each->stop();
}

void McpHub::start(const std::function<bool(const McpServer&)>& approved) {
  for (const auto& each : connections_) {
    const McpServer server = each->state().server;
    if (!approved(server))
      each->set_phase(McpPhase::unapproved);
    else if (server.enabled)
      each->start();
  }
}

std::vector<McpState> McpHub::states() const {
  std::vector<McpState> states;
  for (const auto& each : connections_) states.push_back(each->state());
  return states;
}

McpConnection* McpHub::find(std::string_view server) const {
  for (const auto& each : connections_)
    if (each->state().server.name == server) return each.get();
  return nullptr;
}

bool McpHub::turn(std::string_view server, bool on) {
  McpConnection* found = find(server);
  if (found == nullptr) return false;
  if (on)
    found->start();
  else
    found->stop(), found->set_phase(McpPhase::off);
  return true;
}

std::vector<ToolPtr> McpHub::tools_of(const McpState& state) const {
  std::vector<ToolPtr> tools;
  if (state.phase == McpPhase::off || state.phase == McpPhase::unapproved) return tools;
  const auto owner = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const auto& each) { return each->state().server.name == state.server.name; });
  for (const McpToolInfo& info : state.tools) {
    const auto call = [connection = *owner, name = info.name](const nlohmann::json& args, ToolContext& ctx) {
      return connection->call(name, args, ctx);
    };
    tools.push_back(std::make_shared<const Tool>(mcp_tool(state.server, info, call)));
  }
  return tools;
}

std::vector<ToolPtr> McpHub::tools() const {
  std::vector<ToolPtr> all;
  for (const McpState& state : states())
    for (ToolPtr& tool : tools_of(state)) all.push_back(std::move(tool));
  std::sort(all.begin(), all.end(), [](const ToolPtr& a, const ToolPtr& b) { return a->name < b->name; });
  return all;
}

std::vector<ToolPtr> McpHub::affordable(std::size_t tokens) const {
  std::vector<ToolPtr> all;
  for (const McpState& state : states()) {
    const std::vector<ToolPtr> tools = tools_of(state);
    if (state.phase == McpPhase::ready && (state.server.always_load || tokens_of(tools) <= tokens))
      all.insert(all.end(), tools.begin(), tools.end());
  }
  return all;
}

ToolPtr McpHub::tool(std::string_view server, std::string_view name) const {
  for (const McpState& state : states()) {
    if (!server.empty() && state.server.name != server) continue;
    for (const McpToolInfo& info : state.tools) {
      if (info.name != name && mcp_tool_name(state.server.name, info.name) != name) continue;
      for (const ToolPtr& tool : tools_of(state))
        if (tool->name == mcp_tool_name(state.server.name, info.name)) return tool;
    }
  }
  return nullptr;
}

void McpHub::wait_ready(std::stop_token stop) const {
  for (const auto& each : connections_) each->wait_ready(stop, each->state().server.start_timeout);
}

std::string McpHub::news() {
  std::string text;
  for (const McpState& state : states()) {
    if (state.phase != McpPhase::ready) continue;
    std::string now = news_of(state);
    if (told_[state.server.name] == now) continue;
    text += (text.empty() ? "" : "\n") + now;
    told_[state.server.name] = std::move(now);
  }
  return text;
}

}  // namespace tern
