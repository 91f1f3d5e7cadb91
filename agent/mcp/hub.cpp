#include "agent/mcp/hub.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "agent/mcp/http_link.h"
#include "agent/mcp/mcp_tool.h"
#include "agent/mcp/oauth_keeper.h"
#include "agent/mcp/rpc.h"
#include "agent/mcp/server_news.h"
#include "agent/mcp/stdio_link.h"
#include "compression/text/lines.h"
#include "tools/sandbox/sandbox.h"

namespace tern {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestList = 2'048;
constexpr const char* kReadResource = "read_resource";

// Their own profile: the network and the workspace. They run as long as the session: what is missing of the
// protected names gets no stand-in, which people would see all the time. Made once, on the thread of the
// first that starts.
class ServersSandbox {
 public:
  explicit ServersSandbox(std::filesystem::path root) : root_(std::move(root)) {}
  Sandbox get() {
    const std::lock_guard lock(mutex_);
    if (made_) return *made_;
    made_ = sandbox_for({root_}, {}, {}, probe_sandbox());
    made_->network = true;
    made_->watch = nullptr;
    std::erase_if(made_->read_only, [](const auto& path) {
      std::error_code ignored;
      return !std::filesystem::exists(path, ignored);
    });
    return *made_;
  }

 private:
  std::filesystem::path root_;
  std::mutex mutex_;
  std::optional<Sandbox> made_;
};

// Each has a folder that stays, so that what it loads is loaded once.
void wall_in(ProcessSpec& spec, const McpServer& server, const McpHubSettings& settings,
             ServersSandbox& walls) {
  if (!server.sandboxed || settings.places.empty() || probe_sandbox().rung == SandboxRung::none) return;
  const std::filesystem::path place = settings.places / server.name;
  std::error_code error;
  std::filesystem::create_directories(place, error);
  std::filesystem::permissions(settings.places, std::filesystem::perms::owner_all, error);
  spec.sandbox = walls.get();
  spec.sandbox.temp = place;
  std::erase_if(spec.env, [](const std::string& entry) { return entry.starts_with("TMPDIR="); });
  spec.env.push_back("TMPDIR=" + place.string());
  for (const auto& [name, folder] :
       {std::pair{"npm_config_cache", "npm"}, std::pair{"UV_CACHE_DIR", "uv"},
        std::pair{"UV_TOOL_DIR", "uv-tools"}, std::pair{"PIP_CACHE_DIR", "pip"}}) {
    const auto given = [&, begin = std::string(name) + "="](const std::string& entry) {
      return entry.starts_with(begin);
    };
    if (std::none_of(spec.env.begin(), spec.env.end(), given))
      spec.env.push_back(std::string(name) + "=" + (place / folder).string());
  }
  fit_environment(spec.env, spec.sandbox);
}

ProcessSpec spec_of(const McpServer& server, const McpHubSettings& settings, ServersSandbox& walls) {
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
  wall_in(spec, server, settings, walls);
  return spec;
}

std::unique_ptr<McpLink> http_link(const McpServer& server, const McpHubSettings& settings,
                                   ServersSandbox& walls) {
  auto link = std::make_unique<HttpLink>(server.url, server.headers, server.call_timeout,
                                         std::make_shared<OAuthKeeper>(server, settings.tokens));
  if (server.headers_helper.empty()) return link;
  ProcessSpec spec = helper_spec(server, settings.root, settings.env);
  wall_in(spec, server, settings, walls);
  link->set_more_headers(headers_of_helper(std::move(spec)));
  return link;
}

McpConnection::World world_of(const McpHubSettings& settings, const std::shared_ptr<ServersSandbox>& walls) {
  McpConnection::World world;
  world.make_link = [settings, walls](const McpServer& server) -> std::unique_ptr<McpLink> {
    if (server.transport == McpTransport::http) return http_link(server, settings, *walls);
    return std::make_unique<StdioLink>(spec_of(server, settings, *walls));
  };
  world.settings.version = settings.version;
  world.settings.roots = {settings.root};
  world.pauses = settings.pauses;
  world.on_change = settings.on_change;
  world.on_question = settings.on_question;
  return world;
}

// About four characters a token; what a server declares is counted the same on every wire.
std::size_t tokens_of(const std::vector<ToolPtr>& tools) {
  std::size_t bytes = 0;
  for (const ToolPtr& tool : tools)
    bytes += tool->name.size() + tool->description.size() + tool->schema.size() + 32;
  return bytes / 4;
}

// Resources are the person's to mention; to the model they are one tool more.
McpToolInfo reading_tool(const McpState& state) {
  McpToolInfo info;
  info.name = kReadResource;
  info.description = "Reads a resource of the server.";
  info.schema = R"({"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]})";
  info.says_read_only = true;
  for (const McpResource& each : state.resources)
    info.description += "\n" + each.uri + (each.name.empty() ? "" : " (" + each.name + ")");
  info.description = clipped(info.description, kLongestList);
  return info;
}

}  // namespace

class McpHub::OffTools {
 public:
  void turn(const std::string& name, bool on) {
    const std::lock_guard lock(mutex_);
    if (on)
      names_.erase(name);
    else
      names_.insert(name);
  }
  bool has(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(name);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
};

McpHub::McpHub(std::vector<McpServer> servers, McpHubSettings settings)
    : settings_(std::move(settings)), off_(std::make_shared<OffTools>()) {
  const auto walls = std::make_shared<ServersSandbox>(settings_.root);
  for (McpServer& server : servers)
    connections_.push_back(std::make_shared<McpConnection>(std::move(server), world_of(settings_, walls)));
}

McpHub::~McpHub() {
  for (const auto& each : connections_) each->stop();
  for (const auto& each : connections_) each->end();  // who hears of a change may ask for any of them
}

void McpHub::start(const std::function<bool(const McpServer&)>& approved) {
  for (const auto& each : connections_) {
    const McpServer& server = each->server();
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
    if (each->server().name == server) return each.get();
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

void McpHub::turn_tool(const std::string& name, bool on) { off_->turn(name, on); }
bool McpHub::is_off(const std::string& name) const { return off_->has(name); }

std::vector<ToolPtr> McpHub::tools_of(const McpState& state) const {
  std::vector<ToolPtr> tools;
  if (state.phase == McpPhase::off || state.phase == McpPhase::unapproved) return tools;
  const auto owner = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const auto& each) { return each->server().name == state.server.name; });
  const auto add = [&](const McpToolInfo& info, McpCaller work) {
    const std::string shown = mcp_tool_name(state.server.name, info.name);
    if (off_->has(shown)) return;
    const auto call = [off = off_, shown, work = std::move(work)](const nlohmann::json& args,
                                                                  ToolContext& ctx) {
      if (off->has(shown))
        return ToolOutput{.text = "The user turned the tool " + shown + " off.", .is_error = true};
      return work(args, ctx);
    };
    tools.push_back(std::make_shared<const Tool>(mcp_tool(state.server, info, call)));
  };
  for (const McpToolInfo& info : state.tools)
    add(info, [connection = *owner, name = info.name](const nlohmann::json& args, ToolContext& ctx) {
      return connection->call(name, args, ctx);
    });
  const bool own = std::any_of(state.tools.begin(), state.tools.end(),
                               [](const McpToolInfo& t) { return t.name == kReadResource; });
  if (!state.resources.empty() && !own)
    add(reading_tool(state), [connection = *owner](const nlohmann::json& args, ToolContext& ctx) {
      return connection->read_resource(args.value("uri", ""), ctx);
    });
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
  std::vector<ToolPtr> always, small;
  for (const McpState& state : states()) {
    const std::vector<ToolPtr> tools = tools_of(state);
    if (state.phase != McpPhase::ready || (!state.server.always_load && tokens_of(tools) > tokens)) continue;
    std::vector<ToolPtr>& list = state.server.always_load ? always : small;
    list.insert(list.end(), tools.begin(), tools.end());
  }
  if (tokens_of(small) <= tokens) always.insert(always.end(), small.begin(), small.end());
  std::sort(always.begin(), always.end(),
            [](const ToolPtr& a, const ToolPtr& b) { return a->name < b->name; });
  return always;
}

ToolPtr McpHub::tool(std::string_view server, std::string_view name) const {
  for (const auto& each : connections_) {
    if (!server.empty() && each->server().name != server) continue;
    const McpState state = each->state();
    const std::string whole = mcp_tool_name(state.server.name, name);
    for (const ToolPtr& tool : tools_of(state))
      if (tool->name == whole || tool->name == name) return tool;
  }
  return nullptr;
}

std::string McpHub::server_of(std::string_view tool) const {
  for (const auto& each : connections_)
    if (tool.starts_with("mcp__" + each->server().name + "__")) return each->server().name;
  return {};
}

void McpHub::wait_ready(std::stop_token stop, std::string_view server) const {
  for (const auto& each : connections_) {
    const McpServer& entry = each->server();
    if (server.empty() || entry.name == server) each->wait_ready(stop, entry.start_timeout);
  }
}

std::string McpHub::news() {
  std::vector<McpState> fresh;
  for (McpState& state : states()) {
    if (state.phase != McpPhase::ready) continue;
    std::string now = news_of({state}) + own_words(state);
    if (std::exchange(told_[state.server.name], now) != now) fresh.push_back(std::move(state));
  }
  return news_of(fresh);
}

std::string McpHub::words_to_show(const std::string& server) {
  const McpConnection* found = find(server);
  if (found == nullptr) return {};
  const std::string words = own_words(found->state());
  const std::lock_guard lock(shown_mutex_);
  return std::exchange(shown_[server], words) == words ? std::string() : words;
}

}  // namespace tern
