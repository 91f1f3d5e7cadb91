// McpTools and McpCall: two constant tools that stand for those of any number of servers, so that neither a
// server that comes late nor one that dies changes what a request begins with. A schema that was asked for is
// an ordinary result of the conversation. A tool is also called by its own name, as services do that load
// what was found.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/mcp/hub.h"
#include "agent/mcp/mcp_tool.h"
#include "agent/mcp/rpc.h"
#include "agent/models/found_tools.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 8;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::vector<std::string> words_of(const std::string& query) {
  std::vector<std::string> words(1);
  for (const char c : lower(query)) {
    if (is_name_char(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// A word in the name counts for more than one in the description; the tool's own name, for all.
int score(const Tool& tool, const std::vector<std::string>& words) {
  const std::string name = lower(tool.name), about = lower(tool.description);
  int sum = 0;
  for (const std::string& word : words) {
    if (name == word || name.ends_with("__" + word)) sum += 100;
    if (name.find(word) != name.npos) sum += 5;
    if (about.find(word) != about.npos) sum += 1;
  }
  return sum;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = std::min(text.find(". "), text.find('\n'));
  return clipped(text.substr(0, end), 100);
}

ToolOutput show_tools(McpHub& hub, const json& args, ToolContext& ctx) {
  hub.wait_ready(ctx.stop);
  ToolOutput out;
  const std::vector<ToolPtr> all = hub.tools();
  const std::vector<std::string> words = words_of(args.value("query", ""));
  std::vector<std::pair<int, ToolPtr>> hits;
  for (const ToolPtr& tool : all)
    if (const int points = score(*tool, words); points > 0) hits.emplace_back(points, tool);
  std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<std::string> servers;
  for (std::size_t i = 0; i < hits.size() && i < kMostShown; ++i) {
    const Tool& tool = *hits[i].second;
    out.text += found_line(tool.name, tool.description, tool.schema);
    servers.insert(hits[i].second->label.substr(0, hits[i].second->label.find('/')));
  }
  for (const std::string& server : servers) out.text += hub.words_to_show(server);
  if (hits.empty()) {
    out.text = all.empty() ? "No MCP server has tools now.\n" : "No tool matches. All tools:\n";
    for (const ToolPtr& tool : all) out.text += tool->name + ": " + first_sentence(tool->description) + "\n";
  }
  for (const McpState& state : hub.states())
    if (state.phase == McpPhase::failed)
      out.text += "The server \"" + state.server.name + "\" is not running: " + state.why + "\n";
  out.note = std::to_string(hits.empty() ? all.size() : std::min(hits.size(), kMostShown)) + " of " +
             std::to_string(all.size()) + " tools";
  return out;
}

// The tool that is meant, checked against its own schema: the gate and the screen see that one.
ToolPtr meant_tool(McpHub& hub, json& args, std::string& error) {
  const std::string server = args.value("server", ""), name = args.value("tool", "");
  const ToolPtr tool = hub.tool(server, name);
  if (tool == nullptr && (hub.is_off(name) || hub.is_off(mcp_tool_name(server, name)))) {
    error = "The user turned the tool \"" + name + "\" off.";
    return nullptr;
  }
  if (tool == nullptr) {
    error = "There is no MCP tool \"" + name + "\"" +
            (server.empty() ? "" : " of the server \"" + server + "\"") +
            " now. McpTools lists those there are.";
    return nullptr;
  }
  json inner = args.contains("arguments") ? args["arguments"] : json::object();
  if (!parse_args(*tool, inner.is_string() ? inner.get<std::string>() : one_line(inner), inner, error)) {
    error += "\nThe arguments of " + tool->name + ": " + tool->schema;
    return nullptr;
  }
  args = std::move(inner);
  return tool;
}

ToolPtr awaited_tool(McpHub& hub, const McpAttend& attend, const std::string& server, json& args,
                     std::string& error) {
  bool stopped = false;
  attend([&](std::stop_token stop) {
    hub.wait_ready(stop, server);
    stopped = stop.stop_requested();
  });
  if (stopped) error = "[Request interrupted by user] The call was not run.";
  return stopped ? nullptr : meant_tool(hub, args, error);
}

}  // namespace

Tool mcp_tools_tool(McpHub& hub) {
  Tool tool;
  tool.name = "McpTools";
  tool.description =
      "Finds tools of the connected MCP servers and shows their arguments. query: words of a name or a "
      "purpose; empty lists all.";
  tool.about = "Looks for tools of the connected MCP servers.";
  tool.schema = R"({"type":"object","properties":{"query":{"type":"string"}}})";
  tool.duty = ToolDuty::search;
  tool.effects = Effect::read;
  tool.vouched = true;  // it shows what the servers have said already
  tool.run = [&hub](const json& args, ToolContext& ctx) { return show_tools(hub, args, ctx); };
  tool.subject = [](const json& args) { return args.value("query", ""); };
  return tool;
}

Tool mcp_call_tool(McpHub& hub, McpAttend attend) {
  Tool tool;
  tool.name = "McpCall";
  tool.description = "Calls a tool of an MCP server with the arguments that McpTools has shown.";
  tool.about = "Calls a tool of an MCP server.";
  tool.schema = R"({"type":"object","properties":{"server":{"type":"string"},"tool":{"type":"string"},)"
                R"("arguments":{"type":"object"}},"required":["server","tool","arguments"]})";
  tool.duty = ToolDuty::relay;
  tool.effects = Effect::network;
  tool.stands_for = [&hub, attend = std::move(attend)](json& args, std::string& error) {
    return awaited_tool(hub, attend, args.value("server", ""), args, error);
  };
  return tool;
}

ToolPtr mcp_named_tool(McpHub& hub, const McpAttend& attend, std::string_view name) {
  const std::string server = hub.server_of(name);
  if (server.empty()) return nullptr;
  Tool tool;
  tool.name = name;
  tool.schema = R"({"type":"object","additionalProperties":true})";
  tool.foreign = true;
  tool.effects = Effect::network;
  tool.stands_for = [&hub, attend, server, name = tool.name](json& args, std::string& error) {
    args = {{"server", server}, {"tool", name}, {"arguments", std::move(args)}};
    return awaited_tool(hub, attend, server, args, error);
  };
  return std::make_shared<const Tool>(std::move(tool));
}

}  // namespace tern
