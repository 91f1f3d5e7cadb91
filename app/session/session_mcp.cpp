#include "app/session/session_mcp.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "agent/mcp/elicitation.h"
#include "agent/mcp/mcp_tool.h"
#include "agent/mcp/oauth_store.h"
#include "agent/models/found_tools.h"
#include "compression/text/figures.h"
#include "compression/text/lines.h"
#include "compression/values/tokens.h"
#include "tools/sandbox/child_env.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr Tokens kMostTokens = 2'000;  // of one server's tools, declared
constexpr std::size_t kLargestFile = 1u << 20;
constexpr std::size_t kWidestName = 28, kLongestWords = 80;  // of a tool, in /mcp NAME

// $XDG_CACHE_HOME/tern/mcp or ~/.cache/tern/mcp; empty without a home.
fs::path servers_folder(const SessionSetup& setup) {
  const std::string set = setup.env("XDG_CACHE_HOME");
  if (set.empty() && setup.home.empty()) return {};
  return (set.empty() ? setup.home / ".cache" : fs::path(set)) / "tern/mcp";
}

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

std::optional<EntryAnswer> answer_of(const std::string& verb) {
  if (verb == "approve") return EntryAnswer::approved;
  if (verb == "refuse") return EntryAnswer::refused;
  if (verb == "grant") return EntryAnswer::granted;
  return std::nullopt;
}

}  // namespace

fs::path default_approvals_file() { return approvals_file(approved_entries); }

Variables process_variables() {
  return [](const std::string& name) { return std::getenv(name.c_str()); };
}

McpServers project_mcp_servers(const fs::path& root) {
  const fs::path file = root / ".mcp.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  if (fs::file_size(file, error) > kLargestFile)
    return {{}, {file.string() + " is too large, so its MCP servers are not used"}};
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return read_mcp_servers(text.str(), file, McpScope::project, process_variables());
}

SessionMcp::SessionMcp(const SessionSetup& setup, const fs::path& root, bool trusted, Tell tell)
    : setup_(setup),
      root_(root),
      tell_(std::move(tell)),
      approvals_(default_approvals_file()),
      disabled_(setup.disabled_tools) {
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
  settings.tokens = default_tokens_file();
  settings.places = servers_folder(setup);
  settings.on_change = [this](const std::string&) { wake(); };
  if (setup.may_ask && setup.own_words)
    settings.on_question = [this](const std::string& server, const nlohmann::json& params,
                                  std::stop_token stop) {
      ElicitationWays ways;
      ways.ask = [&](const UserQuestion& question) { return desk_.ask(question, stop, [this] { wake(); }); };
      ways.open = [this](const std::string& url) { tell_later({Level::info, "Open this address: " + url}); };
      return answer_elicitation(server, params, ways);
    };
  std::vector<McpServer> servers = servers_.servers;
  for (McpServer& server : servers)
    if (approvals_.of(root, server) == EntryAnswer::granted) server.sandboxed = false;
  hub_ = std::make_unique<McpHub>(std::move(servers), settings);
  for (const std::string& name : setup.without_tools) hub_->turn_tool(name, false);
}

void SessionMcp::offer(ToolEnvironment& hands, McpAttend attend) {
  if (hub_ == nullptr) return;
  ToolSet& offered = hands.offered;
  offered.add(mcp_tools_tool(*hub_));
  offered.behind(
      [hub = hub_.get(), attend](std::string_view name) { return mcp_named_tool(*hub, attend, name); });
  offered.add(mcp_call_tool(*hub_, std::move(attend)));
  for (const McpServer& server : servers_.servers)
    for (const McpToolPolicy& policy : server.policies)
      hands.policy.rules.push_back({policy.allow ? PermissionRule::Kind::allow : PermissionRule::Kind::ask,
                                    mcp_tool_name(server.name, policy.tool),
                                    {},
                                    server.file.string()});
}

void SessionMcp::start(std::function<void()> on_change) {
  if (hub_ == nullptr || setup_.read_only) return;
  if (setup_.live) on_change_ = std::move(on_change);
  std::string waiting;
  hub_->start([&](const McpServer& server) {
    if (approvals_.of(root_, server) == EntryAnswer::unknown)
      waiting += (waiting.empty() ? "" : ", ") + server.name;
    return approvals_.allow(root_, server);
  });
  if (!waiting.empty())
    tell_(Notice{Level::warning,
                 "MCP servers of this project wait for your approval: " + waiting + ". /mcp shows them."});
}

void SessionMcp::join(ToolEnvironment& hands, Context& context) {
  if (hub_ == nullptr) return;
  tell_news();
  if (!declared_) {
    const auto budget = std::min<Tokens>(kMostTokens, context.window() / 100);
    for (const ToolPtr& tool : hub_->affordable(static_cast<std::size_t>(budget))) {
      hands.offered.add(tool);
      in_requests_.insert(hub_->server_of(tool->name));
      context.tools.push_back({tool->name, tool->description, tool->schema});
    }
    context.tool_tokens = tokens_of(context.tools);
    declared_ = true;
  }
  if (std::string news = hub_->news(); !news.empty()) hands.notes.push(std::move(news));
}

void SessionMcp::tell_news() {
  if (hub_ == nullptr) return;
  std::vector<Notice> later;
  {
    const std::lock_guard lock(later_mutex_);
    later.swap(later_);
  }
  for (Notice& told : later) tell_(std::move(told));
  for (const McpState& state : hub_->states()) {
    if (state.phase == McpPhase::ready) told_.erase(state.server.name);
    if (state.phase != McpPhase::failed || !told_.insert(state.server.name).second) continue;
    const std::string first(state.why.substr(0, state.why.find('\n')));
    tell_(Notice{Level::warning,
                 "The MCP server \"" + state.server.name + "\" " +
                     (state.wants_sign_in ? "needs a sign-in: /mcp login " + state.server.name
                                          : "is not running: " + first + ". /mcp shows more.")});
  }
}

// What the declarations of a server's tools take, wherever they are: in each request, or in the results that
// load some of them.
std::string SessionMcp::cost_of(const McpState& state) const {
  std::vector<ToolSpec> specs;
  for (const ToolPtr& tool : hub_->tools())
    if (hub_->server_of(tool->name) == state.server.name)
      specs.push_back({tool->name, tool->description, tool->schema});
  const bool declared = in_requests_.contains(state.server.name);
  return counted(static_cast<std::int64_t>(state.tools.size()), "tool") + " · " +
         thousands(tokens_of(specs)) + (declared ? " tokens in each request" : " tokens if all are loaded");
}

std::string SessionMcp::words_for(const McpState& state) const {
  switch (state.phase) {
    case McpPhase::ready: return cost_of(state) + " · MCP " + state.info.protocol;
    case McpPhase::starting: return "starting";
    case McpPhase::failed:
      return state.wants_sign_in ? "needs a sign-in; /mcp login " + state.server.name
                                 : "failed: " + state.why;
    case McpPhase::unapproved: return "not approved; /mcp approve " + state.server.name;
    case McpPhase::off: break;
  }
  return "off; /mcp on " + state.server.name;
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
    if (runs_outside(state.server)) words += " · outside the sandbox";
    text += std::string(mark_of(state.phase)) + " " + name + "  " + words + "\n  " + std::string(width, ' ') +
            "  " + target_of(state.server) + "\n";
  }
  return text +
         "\n/mcp NAME shows one · /mcp on|off|restart NAME · /mcp on|off NAME TOOL · /mcp login|logout NAME "
         "· /mcp approve|refuse NAME · /mcp grant NAME lets one out of the sandbox\n";
}

std::string SessionMcp::details(const McpState& state) const {
  std::string text = state.server.name + ": " + words_for(state) + "\n" + state.server.file.string() + "\n" +
                     state.server.shown;
  if (runs_in_sandbox(state.server))
    text +=
        "\n\nIt runs in the sandbox: it writes in this folder only, sees no keys and reaches no local "
        "sockets, which browsers and containers need. /mcp grant " +
        state.server.name + " lets it out, with your rights.";
  if (runs_outside(state.server))
    text += "\n\nIt runs outside the sandbox, with your rights. " +
            (approvals_.of(root_, state.server) == EntryAnswer::granted
                 ? "/mcp approve " + state.server.name + " puts it back."
                 : std::string("Its entry says \"sandbox\": false."));
  if (!state.trouble.empty()) text += "\n\nIts list of tools is incomplete: " + state.trouble + ".";
  if (!state.tools.empty())
    text +=
        "\n\nTools, as the server describes them. Rules name them mcp__" + state.server.name + "__TOOL.\n";
  std::size_t width = 0;
  for (const McpToolInfo& tool : state.tools)
    width = std::max(width, std::min(tool.name.size(), kWidestName));
  for (const McpToolInfo& tool : state.tools) {
    const bool off = hub_->is_off(mcp_tool_name(state.server.name, tool.name));
    std::string name = tool.name;
    name.resize(std::max(width, name.size()), ' ');
    text += (off ? "○ " : "● ") + name + (off ? "  off  " : "  ") +
            clipped(tool.description.substr(0, tool.description.find('\n')), kLongestWords) + "\n";
  }
  if (!state.prompts.empty()) text += "\nPrompts:\n";
  for (const McpPrompt& prompt : state.prompts)
    text += "/" + mcp_command_name(state.server.name, prompt.name) + "\n";
  if (!state.resources.empty()) text += "\nResources:\n";
  for (const McpResource& each : state.resources) text += "@" + state.server.name + ":" + each.uri + "\n";
  if (!state.info.instructions.empty())
    text += "\nHow it describes itself:\n" + state.info.instructions + "\n";
  if (!state.log.empty()) text += "\nThe end of its log:\n";
  for (const std::string& line : state.log) text += line + "\n";
  if (!state.last_words.empty()) text += "\nThe end of its error output:\n" + state.last_words;
  return text + "\n";
}

// A grant lets a server out of the sandbox, an approval puts it back.
std::string SessionMcp::decide(const McpState& state, EntryAnswer answer) {
  const McpServer& server = state.server;
  const bool granted = approvals_.of(root_, server) == EntryAnswer::granted;
  if (answer == EntryAnswer::granted && !runs_in_sandbox(server))
    return "\"" + server.name + "\" doesn't run in the sandbox.\n\n";
  const bool puts_back = granted && answer == EntryAnswer::approved;
  if (server.scope != McpScope::project && answer != EntryAnswer::granted && !puts_back)
    return "Only servers of a project need approval. /mcp on|off turns this one.\n\n";
  const std::string wrong = approvals_.decide(root_, server, answer);
  McpConnection* connection = hub_->find(server.name);
  if (answer == EntryAnswer::granted || granted) connection->set_sandboxed(answer != EntryAnswer::granted);
  hub_->turn(server.name, answer != EntryAnswer::refused);
  if (answer == EntryAnswer::refused) connection->set_phase(McpPhase::unapproved);
  return wrong.empty() ? "" : "This holds for this session only: " + wrong + ".\n\n";
}

// Kept in the user's own configuration, whoever named the server.
std::string SessionMcp::turn_tool(const McpState& state, const std::string& tool, bool on) {
  const auto same = [&](const McpToolInfo& info) {
    return info.name == tool || mcp_tool_name(state.server.name, info.name) == tool;
  };
  const auto found = std::find_if(state.tools.begin(), state.tools.end(), same);
  if (found == state.tools.end()) return "\"" + state.server.name + "\" has no tool \"" + tool + "\".\n\n";
  const std::string name = mcp_tool_name(state.server.name, found->name);
  hub_->turn_tool(name, on);
  std::erase(disabled_, name);
  if (!on) disabled_.push_back(name);
  const nlohmann::json list = disabled_;
  const std::string wrong = setup_.write
                                ? setup_.write("tools.disabled", disabled_.empty() ? "null" : list.dump())
                                : "this run keeps no settings";
  return wrong.empty() ? "" : "This holds for this session only: " + wrong + ".\n\n";
}

// Schemas that were asked for are results of the conversation.
std::string SessionMcp::share(const Context& context) const {
  if (hub_ == nullptr) return {};
  const std::vector<ToolPtr> tools = hub_->tools();
  std::set<std::string> loaded;
  std::vector<ToolSpec> fixed;
  for (const ToolSpec& spec : context.tools)
    if (serves_deferred(spec.duty) || spec.name.starts_with("mcp__")) fixed.push_back(spec);
  for (const ToolSpec& spec : fixed) loaded.insert(spec.name);
  Tokens tokens = tokens_of(fixed);
  const auto finds = [&](const std::string& tool) {
    return std::any_of(fixed.begin(), fixed.end(), [&](const ToolSpec& spec) {
      return spec.duty == ToolDuty::search && spec.name == tool;
    });
  };
  for (const ItemPtr& item : context.conversation.items)
    for (const Block& block : item->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (result == nullptr || !finds(result->tool)) continue;
      tokens += estimate(block);
      for (const ToolSpec& tool : found_tools(result->text).tools) loaded.insert(tool.name);
    }
  const auto is_loaded = [&](const ToolPtr& tool) { return loaded.contains(tool->name); };
  return "MCP: " + thousands(tokens) + " tokens · " +
         std::to_string(std::count_if(tools.begin(), tools.end(), is_loaded)) + " of " +
         counted(static_cast<std::int64_t>(tools.size()), "tool") + " loaded";
}

std::string SessionMcp::command(const std::string& words) {
  if (hub_ == nullptr)
    return "There are no MCP servers. `tern mcp add NAME -- COMMAND …` adds one for you, the file .mcp.json "
           "one for this "
           "project.\n";
  std::istringstream in(words);
  std::string verb, name, tool;  // or the address that a sign-in ended at
  in >> verb >> name >> tool;
  if (verb.empty()) return page();
  const McpConnection* found = hub_->find(name.empty() ? verb : name);
  if (found == nullptr)
    return "There is no MCP server \"" + (name.empty() ? verb : name) + "\".\n\n" + page();
  const McpState state = found->state();
  if (name.empty()) return details(state);
  const auto answer = answer_of(verb);
  const bool known = answer || verb == "login" || verb == "logout" || verb == "restart";
  if (!known && verb != "on" && verb != "off") return "/mcp does not know \"" + verb + "\".\n\n" + page();
  std::string told;  // before the page is made, which shows what has changed
  if (answer) {
    told = decide(state, *answer);
  } else if (verb == "logout") {
    told = sign_out(state);
  } else if (!tool.empty() && (verb == "on" || verb == "off")) {
    told = turn_tool(state, tool, verb == "on");
    return told + details(found->state());
  } else if (verb != "off" && !approvals_.allow(root_, state.server)) {
    told = "\"" + name + "\" is not approved; /mcp approve " + name + "\n\n";
  } else if (verb == "login") {
    told = sign_in(state, tool);
  } else {
    hub_->turn(name, verb != "off");
  }
  return told + page();
}

}  // namespace tern
