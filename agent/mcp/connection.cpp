#include "agent/mcp/connection.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "agent/mcp/call_result.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kLongestDescription = 2'048, kLongestSchema = 64 * 1024;
constexpr milliseconds kLivedLong = std::chrono::seconds(30);

ToolOutput failure(std::string text) {
  ToolOutput output;
  output.text = std::move(text);
  output.is_error = true;
  return output;
}

bool wanted(const McpServer& server, const std::string& tool) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), tool) != names.end();
  };
  return (server.only_tools.empty() || has(server.only_tools)) && !has(server.without_tools);
}

McpToolInfo tool_info(const json& entry) {
  McpToolInfo tool;
  tool.name = member_text(entry, "name");
  tool.description = clipped(member_text(entry, "description"), kLongestDescription);
  const auto schema = entry.find("inputSchema");
  if (schema != entry.end() && schema->is_object()) tool.schema = one_line(*schema);
  if (tool.schema.empty() || tool.schema.size() > kLongestSchema)
    tool.schema = R"({"type":"object","additionalProperties":true})";
  const json annotations = entry.value("annotations", json::object());
  const json hint = annotations.is_object() ? annotations.value("readOnlyHint", json()) : json();
  tool.says_read_only = hint.is_boolean() && hint.get<bool>();
  return tool;
}

std::vector<McpToolInfo> tools_from(const McpServer& server, const McpList& list) {
  std::vector<McpToolInfo> tools;
  std::set<std::string> seen;
  for (const json& entry : list.entries) {
    McpToolInfo tool = tool_info(entry);
    if (!tool.name.empty() && wanted(server, tool.name) && seen.insert(tool.name).second) tools.push_back(std::move(tool));
  }
  std::sort(tools.begin(), tools.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return tools;
}

std::vector<std::string> names_from(const McpList& list, const char* member) {
  std::vector<std::string> names;
  for (const json& entry : list.entries)
    if (std::string name = member_text(entry, member); !name.empty()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

struct McpConnection::State {
  World world;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  McpState now;
  std::shared_ptr<McpClient> client;  // while it is ready
  std::set<McpTopic> stale;
  bool gone = false, again = false;
  std::string why_gone;

  std::jthread keeper;  // goes first

  void keep(std::stop_token stop);
  bool live_once(std::stop_token stop);
  std::shared_ptr<McpClient> make_client();
  void stay(McpClient& open, std::stop_token stop);
  void read_lists(McpClient& open, const std::set<McpTopic>& topics, std::stop_token stop);
  bool state_was(McpPhase phase) const {
    const std::lock_guard lock(mutex);
    return now.phase == phase;
  }
  void become(McpPhase phase, std::string why = {});
  bool pause(int failures, std::stop_token stop);
};

void McpConnection::State::become(McpPhase phase, std::string why) {
  {
    const std::lock_guard lock(mutex);
    now.phase = phase;
    now.why = std::move(why);
    changed.notify_all();
  }
  world.on_change(now.server.name);
}

std::shared_ptr<McpClient> McpConnection::State::make_client() {
  McpClientSettings settings = world.settings;
  settings.start_timeout = now.server.start_timeout;
  settings.call_timeout = now.server.call_timeout;
  settings.remembered = now.era;
  settings.on_changed = [this](McpTopic topic) {
    const std::lock_guard lock(mutex);
    stale.insert(topic);
    changed.notify_all();
  };
  settings.on_gone = [this](const std::string& why) {
    const std::lock_guard lock(mutex);
    gone = true;
    why_gone = why;
    changed.notify_all();
  };
  return std::make_shared<McpClient>(world.make_link(now.server), std::move(settings));
}

void McpConnection::State::read_lists(McpClient& open, const std::set<McpTopic>& topics, std::stop_token stop) {
  const McpAsk ask{.timeout = now.server.start_timeout, .stop = stop};
  const auto read = [&](McpTopic topic, const char* capability, const char* method) {
    const bool due = topics.contains(topic) && open.offers(capability);
    return due ? open.list(method, capability, ask) : McpList{};
  };
  const McpList tools = read(McpTopic::tools, "tools", "tools/list");
  const McpList prompts = read(McpTopic::prompts, "prompts", "prompts/list");
  const McpList resources = read(McpTopic::resources, "resources", "resources/list");
  const std::lock_guard lock(mutex);
  if (topics.contains(McpTopic::tools) && (tools.trouble.empty() || !tools.entries.empty()))
    now.tools = tools_from(now.server, tools);
  if (topics.contains(McpTopic::prompts)) now.prompts = names_from(prompts, "name");
  if (topics.contains(McpTopic::resources)) now.resources = names_from(resources, "uri");
  now.trouble = tools.trouble;
}

// Until it ends. Notices come in bursts, so each is given a moment to be joined by others.
void McpConnection::State::stay(McpClient& open, std::stop_token stop) {
  while (!stop.stop_requested()) {
    std::set<McpTopic> due;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, stop, [this] { return gone || again || !stale.empty(); });
      if (gone || again || stop.stop_requested()) return;
      changed.wait_for(lock, stop, world.pauses.settle, [this] { return gone; });
      due.swap(stale);
    }
    read_lists(open, due, stop);
    world.on_change(now.server.name);
  }
}

// True when it had been of use for a while, so that what went wrong before does not count.
bool McpConnection::State::live_once(std::stop_token stop) {
  {
    const std::lock_guard lock(mutex);
    gone = again = false;
    stale.clear();
    ++now.starts;
  }
  become(McpPhase::starting);
  const std::shared_ptr<McpClient> open = make_client();
  const std::string why = open->open(stop);
  if (!why.empty()) {
    std::string words(trimmed(open->last_words()));
    open->close();
    if (!stop.stop_requested()) become(McpPhase::failed, why + (words.empty() ? "" : "\n" + words));
    return false;
  }
  read_lists(*open, {McpTopic::tools, McpTopic::prompts, McpTopic::resources}, stop);
  const Clock::time_point begun = Clock::now();
  {
    const std::lock_guard lock(mutex);
    now.info = open->info();
    now.era = open->era();
    client = open;
  }
  become(McpPhase::ready);
  stay(*open, stop);
  const std::lock_guard lock(mutex);
  client.reset();
  now.last_words = open->last_words();
  open->close();
  return Clock::now() - begun > kLivedLong;
}

// True when it was called for.
bool McpConnection::State::pause(int failures, std::stop_token stop) {
  const auto growing = world.pauses.first * (1 << std::min(failures - 1, 10));
  std::unique_lock lock(mutex);
  const auto called = [this] { return again; };
  if (failures >= world.pauses.most_failures) return changed.wait(lock, stop, called);
  return changed.wait_for(lock, stop, std::min<milliseconds>(growing, world.pauses.longest), called);
}

void McpConnection::State::keep(std::stop_token stop) {
  for (int failures = 0; !stop.stop_requested();) {
    failures = live_once(stop) ? 1 : failures + 1;
    if (stop.stop_requested()) break;
    if (state_was(McpPhase::ready)) become(McpPhase::failed, why_gone);
    if (pause(failures, stop)) failures = 0;
  }
}

McpConnection::McpConnection(McpServer server, World world) : state_(std::make_unique<State>()) {
  state_->world = std::move(world);
  state_->now.server = std::move(server);
}

McpConnection::~McpConnection() { stop(); }

void McpConnection::start() {
  if (state_->keeper.joinable() && !state_->keeper.get_stop_token().stop_requested()) return restart();
  state_->keeper = std::jthread([s = state_.get()](std::stop_token stop) { s->keep(stop); });
}

void McpConnection::restart() {
  const std::lock_guard lock(state_->mutex);
  state_->again = true;
  state_->changed.notify_all();
}

void McpConnection::stop() {
  state_->keeper.request_stop();
  std::shared_ptr<McpClient> open;
  {
    const std::lock_guard lock(state_->mutex);
    open = state_->client;
    state_->changed.notify_all();
  }
  if (open) open->close();
}

void McpConnection::set_phase(McpPhase phase) { state_->become(phase); }

McpState McpConnection::state() const {
  const std::lock_guard lock(state_->mutex);
  McpState copy = state_->now;
  if (state_->client) copy.last_words = state_->client->last_words();
  return copy;
}

bool McpConnection::wait_ready(std::stop_token stop, milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, stop, limit, [this] { return state_->now.phase != McpPhase::starting; });
  return state_->now.phase == McpPhase::ready;
}

ToolOutput McpConnection::call(const std::string& tool, const json& args, ToolContext& ctx) {
  wait_ready(ctx.stop, state_->now.server.start_timeout);
  std::shared_ptr<McpClient> open;
  std::string why;
  {
    const std::lock_guard lock(state_->mutex);
    open = state_->client;
    why = state_->now.why;
  }
  const std::string& name = state_->now.server.name;
  if (!open) return failure("The MCP server \"" + name + "\" is not running" + (why.empty() ? "." : ": " + why));
  McpAsk ask{.stop = ctx.stop};
  ask.on_progress = [&ctx](const std::string& text) { ctx.progress(text + "\n"); };
  const McpAnswer answer = open->request("tools/call", {{"name", tool}, {"arguments", args}}, ask);
  if (answer.failure == McpFailure::none) return output_of_call(answer.result, ctx.spill_dir);
  return failure("The MCP server \"" + name + "\" did not run " + tool + ": " + answer.why + ".");
}

}  // namespace tern
