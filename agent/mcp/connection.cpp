#include "agent/mcp/connection.h"

#include <algorithm>
#include <array>
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

constexpr std::size_t kMostLogLines = 20, kLongestLogLine = 300;
constexpr milliseconds kLivedLong = std::chrono::seconds(30);

ToolOutput failure(std::string text) {
  ToolOutput output;
  output.text = std::move(text);
  output.is_error = true;
  return output;
}

// Whether the error of a call looks like something the server's sandbox forbids: files, sockets, and with
// them browsers and containers.
bool hits_walls(const ToolOutput& output) {
  if (!output.is_error) return false;
  constexpr std::array signs = {"EACCES",
                                "EPERM",
                                "EROFS",
                                "Permission denied",
                                "Operation not permitted",
                                "Read-only file system",
                                "Failed to launch",
                                "browser has been closed",
                                "Target closed",
                                "Docker daemon"};
  return std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return output.text.find(sign) != std::string::npos; });
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
  bool resting = false, wanted = false;  // in a pause before it is started anew; a call ends that
  std::string why_gone;

  std::jthread keeper;  // goes first

  void keep(std::stop_token stop);
  bool live_once(std::stop_token stop);
  std::shared_ptr<McpClient> make_client();
  McpServer entry() const {
    const std::lock_guard lock(mutex);
    return now.server;
  }
  void stay(McpClient& open, std::stop_token stop);
  void read_lists(McpClient& open, const std::set<McpTopic>& topics, std::stop_token stop);
  bool asked_again() const {
    const std::lock_guard lock(mutex);
    return again;
  }
  bool state_was(McpPhase phase) const {
    const std::lock_guard lock(mutex);
    return now.phase == phase;
  }
  void become(McpPhase phase, std::string why = {});
  bool pause(int failures, std::stop_token stop);
  void want(std::stop_token stop);
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
  settings.on_log = [this](const std::string& line) {
    const std::lock_guard lock(mutex);
    now.log.push_back(clipped(line, kLongestLogLine));
    if (now.log.size() > kMostLogLines) now.log.erase(now.log.begin());
  };
  if (world.on_question)
    settings.on_question = [this](const json& params, std::stop_token stop) {
      return world.on_question(now.server.name, params, stop);
    };
  settings.on_gone = [this](const std::string& why) {
    const std::lock_guard lock(mutex);
    gone = true;
    why_gone = why;
    changed.notify_all();
  };
  return std::make_shared<McpClient>(world.make_link(entry()), std::move(settings));
}

void McpConnection::State::read_lists(McpClient& open, const std::set<McpTopic>& topics,
                                      std::stop_token stop) {
  const McpAsk ask{.timeout = now.server.start_timeout, .stop = stop};
  const auto read = [&](McpTopic topic, const char* capability, const char* method) {
    const bool due = topics.contains(topic) && open.offers(capability);
    return due ? open.list(method, capability, ask) : McpList{};
  };
  const McpList tools = read(McpTopic::tools, "tools", "tools/list");
  const McpList prompts = read(McpTopic::prompts, "prompts", "prompts/list");
  const McpList resources = read(McpTopic::resources, "resources", "resources/list");
  const bool has_resources = topics.contains(McpTopic::resources) && open.offers("resources");
  const McpList templates =
      has_resources ? open.list("resources/templates/list", "resourceTemplates", ask) : McpList{};
  const auto whole = [&](McpTopic topic, const McpList& list) {
    return topics.contains(topic) && (list.trouble.empty() || !list.entries.empty());
  };
  const std::lock_guard lock(mutex);
  if (whole(McpTopic::tools, tools)) now.tools = tools_from(now.server, tools.entries);
  if (whole(McpTopic::prompts, prompts)) now.prompts = prompts_from(prompts.entries);
  if (whole(McpTopic::resources, resources)) {
    now.resources = resources_from(resources.entries, false);
    for (McpResource& each : resources_from(templates.entries, true))
      now.resources.push_back(std::move(each));
  }
  if (topics.contains(McpTopic::tools)) now.trouble = tools.trouble;
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
    now.phase = McpPhase::starting;  // together with the count: a reader of both sees one start
  }
  become(McpPhase::starting);
  const std::shared_ptr<McpClient> open = make_client();
  const std::string why = open->open(stop);
  if (!why.empty()) {
    std::string words(trimmed(open->last_words()));
    {
      const std::lock_guard lock(mutex);
      now.wants_sign_in = open->wants_sign_in();
    }
    open->close();
    if (!stop.stop_requested()) become(McpPhase::failed, why + (words.empty() ? "" : "\n" + words));
    return false;
  }
  open->listen();
  read_lists(*open, {McpTopic::tools, McpTopic::prompts, McpTopic::resources}, stop);
  const Clock::time_point begun = Clock::now();
  {
    const std::lock_guard lock(mutex);
    now.wants_sign_in = false;
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
  if (failures >= world.pauses.most_failures || now.wants_sign_in) {
    gone = false;  // there is no next start to wait for
    changed.notify_all();
    return changed.wait(lock, stop, called);
  }
  resting = true;
  changed.notify_all();
  changed.wait_for(lock, stop, std::min<milliseconds>(growing, world.pauses.longest),
                   [this] { return again || wanted; });
  resting = wanted = false;
  return again;
}

// A call that comes right behind the end of the server waits for the keeper to see it: then it is in time for
// the next start.
void McpConnection::State::want(std::stop_token stop) {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, now.server.start_timeout, [this] { return !gone || resting; });
  if (!resting || wanted) return;
  wanted = true;
  now.phase = McpPhase::starting;  // who waits for it from now on waits
  changed.notify_all();
}

void McpConnection::State::keep(std::stop_token stop) {
  for (int failures = 0; !stop.stop_requested();) {
    failures = live_once(stop) ? 1 : failures + 1;
    if (stop.stop_requested()) break;
    if (state_was(McpPhase::ready) && !asked_again()) become(McpPhase::failed, why_gone);
    if (pause(failures, stop)) failures = 0;
  }
  const std::lock_guard lock(mutex);
  gone = false;
  changed.notify_all();
}

McpConnection::McpConnection(McpServer server, World world) : state_(std::make_unique<State>()) {
  state_->world = std::move(world);
  state_->now.server = std::move(server);
}

McpConnection::~McpConnection() { end(); }

void McpConnection::end() {
  stop();
  if (state_->keeper.joinable()) state_->keeper.join();
}

void McpConnection::start() {
  if (state_->keeper.joinable() && !state_->keeper.get_stop_token().stop_requested()) return restart();
  state_->become(McpPhase::starting);  // who waits for it from now on waits
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

const McpServer& McpConnection::server() const { return state_->now.server; }

void McpConnection::set_sandboxed(bool sandboxed) {
  const std::lock_guard lock(state_->mutex);
  state_->now.server.sandboxed = sandboxed;
}

bool McpConnection::wait_ready(std::stop_token stop, milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, stop, limit, [this] { return state_->now.phase != McpPhase::starting; });
  return state_->now.phase == McpPhase::ready;
}

McpAnswer McpConnection::ask(const std::string& method, json params, const McpAsk& how) {
  const McpServer& entry = server();
  state_->want(how.stop);
  wait_ready(how.stop, entry.start_timeout);
  std::shared_ptr<McpClient> open;
  McpAnswer answer;
  {
    const std::lock_guard lock(state_->mutex);
    open = state_->client;
    answer.why = state_->now.why;
  }
  const std::string name = "The MCP server \"" + entry.name + "\" ";
  if (!open) {
    answer.failure = McpFailure::gone;
    answer.why = name + "is not running" + (answer.why.empty() ? "." : ": " + answer.why);
    return answer;
  }
  answer = open->request(method, std::move(params), how);
  if (answer.failure != McpFailure::none) answer.why = name + "did not answer: " + answer.why + ".";
  return answer;
}

ToolOutput McpConnection::call(const std::string& tool, const json& args, ToolContext& ctx) {
  McpAsk how{.stop = ctx.stop};
  how.on_progress = [&ctx](const std::string& text) { ctx.progress(text + "\n"); };
  McpAnswer answer = ask("tools/call", {{"name", tool}, {"arguments", args}}, how);
  if (answer.failure != McpFailure::none) return failure(answer.why);
  ToolOutput output = output_of_call(std::move(answer.result), ctx.spill_dir);
  const McpServer entry = state_->entry();
  if (hits_walls(output) && entry.sandboxed && entry.transport == McpTransport::stdio)
    output.note = "the sandbox, perhaps: /mcp grant " + server().name + " lets it out";
  return output;
}

ToolOutput McpConnection::read_resource(const std::string& uri, ToolContext& ctx) {
  McpAnswer answer = ask("resources/read", {{"uri", uri}}, {.stop = ctx.stop});
  return answer.failure == McpFailure::none ? output_of_resource(std::move(answer.result), ctx.spill_dir)
                                            : failure(answer.why);
}

}  // namespace tern
