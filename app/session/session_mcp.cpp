#include "app/session/session_mcp.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "agent/mcp/mcp_tool.h"
#include "compression/text/figures.h"
#include "compression/text/lines.h"
#include "tools/sandbox/child_env.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr Tokens kMostTokens = 2'000;  // of one server's tools, declared
constexpr std::size_t kLargestFile = 1u << 20;

const char* mark_of(McpPhase phase) {
  switch (phase) {
    case McpPhase::ready: return "●";
    case McpPhase::starting: return "◌";
    case McpPhase::failed: return "✗";
    case McpPhase::unapproved: return "?";
    case McpPhase::off: break;
  }
  return "○";
}

std::string words_for(const McpState& state) {
  switch (state.phase) {
    case McpPhase::ready: return counted(static_cast<std::int64_t>(state.tools.size()), "tool") + " · MCP " + state.info.protocol;
    case McpPhase::starting: return "starting";
    case McpPhase::failed: return "failed: " + state.why;
    case McpPhase::unapproved: return "not approved; /mcp approve " + state.server.name;
    case McpPhase::off: break;
  }
  return "off; /mcp on " + state.server.name;
}

}  // namespace

fs::path default_approvals_file() { return approvals_file("mcp-servers"); }

Variables process_variables() {
  return [](const std::string& name) { return std::getenv(name.c_str()); };
}

McpServers project_mcp_servers(const fs::path& root) {
  const fs::path file = root / ".mcp.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  if (fs::file_size(file, error) > kLargestFile) return {{}, {file.string() + " is too large, so its MCP servers are not used"}};
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return read_mcp_servers(text.str(), file, McpScope::project, process_variables());
}

SessionMcp::SessionMcp(const SessionSetup& setup, const fs::path& root, bool trusted, Tell tell)
    : setup_(setup), root_(root), tell_(std::move(tell)), approvals_(default_approvals_file()) {
  std::vector<McpServers> lists;
  if (trusted && setup.mcp_project) lists.push_back(project_mcp_servers(root));
  lists.push_back(setup.mcp);  // the user's own entry goes before one of the same name that a project brings
  servers_ = merge_mcp_servers(std::move(lists));
  for (const std::string& problem : servers_.problems) tell_(Notice{Level::warning, problem});
  if (servers_.servers.empty()) return;
  McpHubSettings settings;
  settings.version = setup.version;
  settings.root = root;
  settings.env = child_env(current_env(), setup.allowed_env, {});
  settings.on_change = [this](const std::string&) {
    if (on_change_) on_change_();
  };
  hub_ = std::make_unique<McpHub>(servers_.servers, settings);
}

void SessionMcp::offer(ToolSet& offered) {
  if (hub_ == nullptr) return;
  offered.add(mcp_tools_tool(*hub_));
  offered.add(mcp_call_tool(*hub_));
}

void SessionMcp::start(std::function<void()> on_change) {
  if (hub_ == nullptr || setup_.read_only) return;
  if (setup_.live) on_change_ = std::move(on_change);
  std::string waiting;
  hub_->start([&](const McpServer& server) {
    const EntryAnswer answer = approvals_.of(root_, server);
    if (answer == EntryAnswer::unknown) waiting += (waiting.empty() ? "" : ", ") + server.name;
    return answer == EntryAnswer::approved;
  });
  if (!waiting.empty())
    tell_(Notice{Level::warning, "MCP servers of this project wait for your approval: " + waiting + ". /mcp shows them."});
}

void SessionMcp::join(ToolEnvironment& hands, Context& context) {
  if (hub_ == nullptr) return;
  tell_failures();
  if (!declared_) {
    const auto budget = std::min<Tokens>(kMostTokens, context.window() / 100);
    for (const ToolPtr& tool : hub_->affordable(static_cast<std::size_t>(budget))) {
      const auto& without = setup_.without_tools;
      if (std::find(without.begin(), without.end(), tool->name) != without.end()) continue;
      hands.offered.add(tool);
      context.tools.push_back({tool->name, tool->description, tool->schema});
    }
    context.tool_tokens = tokens_of(context.tools);
    declared_ = true;
  }
  if (std::string news = hub_->news(); !news.empty()) hands.notes.push(std::move(news));
}

void SessionMcp::tell_failures() {
  if (hub_ == nullptr) return;
  for (const McpState& state : hub_->states()) {
    if (state.phase == McpPhase::ready) told_.erase(state.server.name);
    if (state.phase != McpPhase::failed || !told_.insert(state.server.name).second) continue;
    const std::string first(state.why.substr(0, state.why.find('\n')));
    tell_(Notice{Level::warning, "The MCP server \"" + state.server.name + "\" is not running: " + first + ". /mcp shows more."});
  }
}

std::string SessionMcp::page() const {
  std::string text;
  std::size_t width = 0;
  for (const McpState& state : hub_->states()) width = std::max(width, state.server.name.size());
  for (const McpState& state : hub_->states()) {
    std::string name = state.server.name;
    name.resize(width, ' ');
    std::string words = words_for(state);
    words.resize(std::min(words.size(), words.find('\n')));
    text += std::string(mark_of(state.phase)) + " " + name + "  " + words + "\n  " + std::string(width, ' ') + "  " +
            target_of(state.server) + "\n";
  }
  return text + "\n/mcp NAME shows one · /mcp on|off|restart NAME · /mcp approve|refuse NAME\n";
}

std::string SessionMcp::details(const McpState& state) const {
  std::string text = state.server.name + ": " + words_for(state) + "\n" + state.server.file.string() + "\n" + state.server.shown;
  if (!state.trouble.empty()) text += "\n\nIts list of tools is not whole: " + state.trouble + ".";
  if (!state.tools.empty()) text += "\n\nTools, in the server's own words:\n";
  for (const McpToolInfo& tool : state.tools)
    text += mcp_tool_name(state.server.name, tool.name) + "  " +
            clipped(tool.description.substr(0, tool.description.find('\n')), 100) + "\n";
  if (!state.prompts.empty()) text += "\n" + counted(static_cast<std::int64_t>(state.prompts.size()), "prompt");
  if (!state.resources.empty()) text += "\n" + counted(static_cast<std::int64_t>(state.resources.size()), "resource");
  if (!state.info.instructions.empty()) text += "\nWhat it says of itself:\n" + state.info.instructions + "\n";
  if (!state.last_words.empty()) text += "\nThe end of its error output:\n" + state.last_words;
  return text + "\n";
}

std::string SessionMcp::decide(const McpState& state, bool approved) {
  if (state.server.scope != McpScope::project) return "Only servers of a project need approval. /mcp on|off turns this one.";
  const std::string wrong = approvals_.decide(root_, state.server, approved);
  hub_->turn(state.server.name, approved);
  if (!approved) hub_->find(state.server.name)->set_phase(McpPhase::unapproved);
  return wrong.empty() ? "" : "This holds for this session only: " + wrong + ".\n\n";
}

std::string SessionMcp::command(const std::string& words) {
  if (hub_ == nullptr)
    return "There are no MCP servers. `tern mcp add NAME -- COMMAND …` adds one for you, the file .mcp.json one for this "
           "project.\n";
  std::istringstream in(words);
  std::string verb, name;
  in >> verb >> name;
  if (verb.empty()) return page();
  const McpConnection* found = hub_->find(name.empty() ? verb : name);
  if (found == nullptr) return "There is no MCP server \"" + (name.empty() ? verb : name) + "\".\n\n" + page();
  const McpState state = found->state();
  if (name.empty()) return details(state);
  if (verb == "approve" || verb == "refuse") return decide(state, verb == "approve") + page();
  if (verb != "on" && verb != "off" && verb != "restart") return "/mcp does not know \"" + verb + "\".\n\n" + page();
  if (verb != "off" && approvals_.of(root_, state.server) != EntryAnswer::approved)
    return "\"" + name + "\" is not approved; /mcp approve " + name + "\n\n" + page();
  hub_->turn(name, verb != "off");
  return page();
}

}  // namespace tern
