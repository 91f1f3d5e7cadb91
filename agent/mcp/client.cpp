#include "agent/mcp/client.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>

#include "agent/mcp/server_questions.h"

namespace tern {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kLegacy = "2025-11-25";
constexpr const char* kModern = "2026-07-28";
constexpr std::array kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr int kMostPages = 200, kMostRounds = 8;
constexpr std::size_t kMostEntries = 2'000, kMostListBytes = 4u << 20;

struct Pending {
  McpAnswer answer;
  bool done = false;
  Clock::time_point heard;
  std::function<void(const std::string&)> on_progress;
};

McpAnswer failed(McpFailure failure, std::string why) {
  McpAnswer answer;
  answer.failure = failure;
  answer.why = std::move(why);
  return answer;
}

std::string progress_text(const json& params) {
  const auto number = [&](const char* name) -> std::string {
    const auto found = params.find(name);
    return found != params.end() && found->is_number() ? found->dump() : std::string();
  };
  std::string text = number("progress");
  if (const std::string total = number("total"); !total.empty()) text += " of " + total;
  const std::string message = member_text(params, "message");
  return text.empty() || message.empty() ? text + message : text + ": " + message;
}

std::string target_name(const json& params) {
  const std::string name = member_text(params, "name");
  return name.empty() ? member_text(params, "uri") : name;
}

}  // namespace

struct McpClient::State {
  std::unique_ptr<McpLink> link;
  McpClientSettings settings;
  McpServerInfo info;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  std::map<std::int64_t, std::shared_ptr<Pending>> pending;
  std::int64_t last_id = 0;
  McpEra era = McpEra::unknown;
  bool gone = false;
  std::string why_gone;

  void hear(std::string text);
  void hear_answer(RpcMessage message);
  void hear_notice(const RpcMessage& message);
  void hear_progress(const json& params);
  void hear_oversized(std::string_view head, std::string_view tail);
  void answer_server(const RpcMessage& request);
  void lose(const std::string& why);
  void settle(std::int64_t id, McpAnswer answer);

  json meta() const;
  McpAnswer ask_once(const std::string& method, json params, const McpAsk& ask);
  McpAnswer wait_for(std::int64_t id, const std::shared_ptr<Pending>& pending, const McpAsk& ask);
  void cancel(std::int64_t id, const char* reason);
  std::string open_legacy(std::stop_token stop, bool& refused);
  std::string open_modern(std::stop_token stop, bool& refused);
  void take_server(const json& result, const json& server);
};

// ---------------------------------------------------------------- what arrives

void McpClient::State::hear(std::string text) {
  RpcMessage message = read_rpc(std::move(text));
  switch (message.kind) {
    case RpcKind::result:
    case RpcKind::error: return hear_answer(std::move(message));
    case RpcKind::notification: return hear_notice(message);
    case RpcKind::request: return answer_server(message);
    case RpcKind::unreadable: return;  // servers print to their output what belongs on stderr
  }
}

void McpClient::State::hear_answer(RpcMessage message) {
  McpAnswer answer;
  if (message.kind == RpcKind::error) {
    answer.failure = McpFailure::refused;
    answer.why = message.error.message.empty() ? "error " + std::to_string(message.error.code) : message.error.message;
    answer.error = std::move(message.error);
  } else if (!message.body.is_object()) {
    answer = failed(McpFailure::unusable, "the server's answer is not an object");
  } else {
    answer.result = std::move(message.body);
  }
  settle(message.ours, std::move(answer));
}

void McpClient::State::settle(std::int64_t id, McpAnswer answer) {
  const std::lock_guard lock(mutex);
  const auto found = pending.find(id);
  if (found == pending.end() || found->second->done) return;
  found->second->answer = std::move(answer);
  found->second->done = true;
  changed.notify_all();
}

void McpClient::State::hear_notice(const RpcMessage& message) {
  if (message.method == "notifications/progress") return hear_progress(message.body);
  if (message.method == "notifications/message" && settings.on_log) {
    const auto data = message.body.find("data");
    settings.on_log(data == message.body.end() ? "" : data->is_string() ? data->get<std::string>() : one_line(*data));
  }
  if (!settings.on_changed) return;
  if (message.method == "notifications/tools/list_changed") settings.on_changed(McpTopic::tools);
  if (message.method == "notifications/resources/list_changed") settings.on_changed(McpTopic::resources);
  if (message.method == "notifications/prompts/list_changed") settings.on_changed(McpTopic::prompts);
}

void McpClient::State::hear_progress(const json& params) {
  const auto token = params.find("progressToken");
  if (token == params.end() || !token->is_number_integer()) return;
  std::function<void(const std::string&)> tell;
  {
    const std::lock_guard lock(mutex);
    const auto found = pending.find(token->get<std::int64_t>());
    if (found == pending.end() || found->second->done) return;
    found->second->heard = Clock::now();
    tell = found->second->on_progress;
  }
  if (tell) tell(progress_text(params));
}

void McpClient::State::hear_oversized(std::string_view head, std::string_view tail) {
  std::optional<std::int64_t> id = id_in_fragments(head, tail);
  {
    const std::lock_guard lock(mutex);
    if ((!id || !pending.contains(*id)) && pending.size() == 1) id = pending.begin()->first;
  }
  if (id) settle(*id, failed(McpFailure::too_large, "the server's answer is larger than 8 MB"));
}

void McpClient::State::answer_server(const RpcMessage& request) {
  const ServerQuestion answer = answer_question(request.method, settings.roots);
  Outgoing out;
  out.text = answer.code == 0 ? rpc_result(request.id, answer.result)
                              : rpc_failure(request.id, answer.code, "tern does not support " + request.method);
  link->send(out, {});
}

void McpClient::State::lose(const std::string& why) {
  {
    const std::lock_guard lock(mutex);
    if (gone) return;
    gone = true;
    why_gone = why;
    for (auto& [id, each] : pending)
      if (!std::exchange(each->done, true)) each->answer = failed(McpFailure::gone, "the server is gone: " + why);
    changed.notify_all();
  }
  if (settings.on_gone) settings.on_gone(why);
}

// ---------------------------------------------------------------- what is asked

json McpClient::State::meta() const {
  return {{"io.modelcontextprotocol/protocolVersion", kModern},
          {"io.modelcontextprotocol/clientCapabilities", client_capabilities()},
          {"io.modelcontextprotocol/clientInfo", {{"name", "tern"}, {"version", settings.version}}}};
}

McpAnswer McpClient::State::ask_once(const std::string& method, json params, const McpAsk& ask) {
  auto mine = std::make_shared<Pending>();
  mine->heard = Clock::now();
  mine->on_progress = ask.on_progress;
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex);
    if (gone) return failed(McpFailure::gone, "the server is gone: " + why_gone);
    id = ++last_id;
    pending.emplace(id, mine);
    if (era == McpEra::modern) params["_meta"].update(meta());
  }
  if (ask.on_progress) params["_meta"]["progressToken"] = id;
  const Outgoing out{.text = rpc_request(id, method, params),
                     .method = method,
                     .name = target_name(params),
                     .wants_answer = true,
                     .id = id,
                     .answered = [this, mine] {
                       const std::lock_guard lock(mutex);
                       return mine->done;
                     }};
  const std::string why = link->send(out, ask.stop);
  if (!why.empty()) settle(id, failed(ask.stop.stop_requested() ? McpFailure::cancelled : McpFailure::gone, why));
  McpAnswer answer = wait_for(id, mine, ask);
  const std::lock_guard lock(mutex);
  pending.erase(id);
  return answer;
}

McpAnswer McpClient::State::wait_for(std::int64_t id, const std::shared_ptr<Pending>& mine, const McpAsk& ask) {
  const auto limit = ask.timeout.count() > 0 ? ask.timeout : settings.call_timeout;
  std::unique_lock lock(mutex);
  while (!mine->done) {
    const Clock::time_point deadline = mine->heard + limit;
    if (changed.wait_until(lock, ask.stop, deadline, [&] { return mine->done; })) break;
    const bool stopped = ask.stop.stop_requested();
    if (!stopped && Clock::now() < mine->heard + limit) continue;  // it has told of progress
    lock.unlock();
    cancel(id, stopped ? "cancelled by the user" : "timed out");
    if (stopped) return failed(McpFailure::cancelled, "cancelled");
    return failed(McpFailure::timed_out, "no answer in " + std::to_string((limit.count() + 999) / 1000) + " s");
  }
  return std::move(mine->answer);
}

void McpClient::State::cancel(std::int64_t id, const char* reason) {
  if (id == 1 && era == McpEra::unknown) return;  // "initialize" must not be cancelled
  Outgoing out;
  out.text = rpc_notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
  out.method = "notifications/cancelled";
  link->send(out, {});
}

// ---------------------------------------------------------------- opening

void McpClient::State::take_server(const json& result, const json& server) {
  info.name = member_text(server, "name");
  info.version = member_text(server, "version");
  info.instructions = member_text(result, "instructions");
  const auto capabilities = result.find("capabilities");
  if (capabilities != result.end() && capabilities->is_object()) info.capabilities = *capabilities;
  link->settled(info.protocol, era == McpEra::modern);
}

std::string McpClient::State::open_legacy(std::stop_token stop, bool& refused) {
  const json params{{"protocolVersion", kLegacy},
                    {"capabilities", client_capabilities()},
                    {"clientInfo", {{"name", "tern"}, {"version", settings.version}}}};
  const McpAnswer answer = ask_once("initialize", params, {.timeout = settings.start_timeout, .stop = stop});
  refused = answer.failure == McpFailure::refused;
  if (answer.failure != McpFailure::none) return answer.why;
  info.protocol = member_text(answer.result, "protocolVersion");
  if (std::find(kLegacyVersions.begin(), kLegacyVersions.end(), info.protocol) == kLegacyVersions.end())
    return "the server speaks MCP version \"" + info.protocol + "\", which tern does not know";
  {
    const std::lock_guard lock(mutex);
    era = McpEra::legacy;
  }
  take_server(answer.result, answer.result.value("serverInfo", json::object()));
  Outgoing out;
  out.text = rpc_notification("notifications/initialized", json::object());
  out.method = "notifications/initialized";
  return link->send(out, stop);
}

std::string McpClient::State::open_modern(std::stop_token stop, bool& refused) {
  const McpAnswer answer = ask_once("server/discover", {{"_meta", meta()}}, {.timeout = settings.start_timeout, .stop = stop});
  refused = answer.failure == McpFailure::refused;
  if (answer.failure != McpFailure::none) return answer.why;
  const json versions = answer.result.value("supportedVersions", json::array());
  if (!versions.is_array() || std::find(versions.begin(), versions.end(), kModern) == versions.end()) {
    refused = true;
    return "the server speaks no MCP version that tern knows: " + one_line(versions);
  }
  info.protocol = kModern;
  {
    const std::lock_guard lock(mutex);
    era = McpEra::modern;
  }
  const json result_meta = answer.result.value("_meta", json::object());
  take_server(answer.result,
              result_meta.is_object() ? result_meta.value("io.modelcontextprotocol/serverInfo", json::object()) : json::object());
  return {};
}

McpClient::McpClient(std::unique_ptr<McpLink> link, McpClientSettings settings) : state_(std::make_unique<State>()) {
  state_->link = std::move(link);
  state_->settings = std::move(settings);
}

McpClient::~McpClient() {
  close();
  state_->link.reset();  // no event comes after this
}

std::string McpClient::open(std::stop_token stop) {
  State& s = *state_;
  LinkEvents events;
  events.on_message = [&s](std::string text) { s.hear(std::move(text)); };
  events.on_oversized = [&s](std::string_view head, std::string_view tail) { s.hear_oversized(head, tail); };
  events.on_end = [&s](const std::string& why) { s.lose(why); };
  if (std::string why = s.link->open(std::move(events)); !why.empty()) return why;
  const McpEra remembered = s.settings.remembered;
  const bool modern = remembered == McpEra::unknown ? s.link->tries_modern_first() : remembered == McpEra::modern;
  bool refused = false;
  const std::string first = modern ? s.open_modern(stop, refused) : s.open_legacy(stop, refused);
  if (first.empty() || !refused) return first;
  const std::string second = modern ? s.open_legacy(stop, refused) : s.open_modern(stop, refused);
  return second.empty() ? second : modern ? second : first;
}

void McpClient::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->gone = true;
    if (state_->why_gone.empty()) state_->why_gone = "it was closed";
    for (auto& [id, each] : state_->pending)
      if (!std::exchange(each->done, true)) each->answer = failed(McpFailure::gone, "the connection was closed");
    state_->changed.notify_all();
  }
  if (state_->link) state_->link->close();
}

McpAnswer McpClient::request(const std::string& method, json params, const McpAsk& ask) {
  for (int round = 0; round < kMostRounds; ++round) {
    McpAnswer answer = state_->ask_once(method, params, ask);
    if (answer.failure != McpFailure::none || member_text(answer.result, "resultType") != "input_required") return answer;
    std::string why;
    const json responses = answer_inputs(answer.result, state_->settings.roots, why);
    if (!why.empty()) return failed(McpFailure::unusable, why);
    params["inputResponses"] = responses;
    params.erase("requestState");
    if (const auto kept = answer.result.find("requestState"); kept != answer.result.end()) params["requestState"] = *kept;
  }
  return failed(McpFailure::unusable, "the server keeps asking for more input");
}

McpList McpClient::list(const std::string& method, const char* member, const McpAsk& ask) {
  McpList list;
  std::string cursor;
  std::size_t bytes = 0;
  for (int page = 0; page < kMostPages; ++page) {
    json params = json::object();
    if (!cursor.empty()) params["cursor"] = cursor;
    McpAnswer answer = request(method, params, ask);
    if (answer.failure != McpFailure::none) return list.trouble = answer.why, list;
    json entries = answer.result.value(member, json::array());
    for (json& entry : entries.is_array() ? entries : entries = json::array()) {
      bytes += one_line(entry).size();
      if (list.entries.size() == kMostEntries || bytes > kMostListBytes) {
        list.trouble = "only the first " + std::to_string(list.entries.size()) + " are kept";
        return list;
      }
      if (entry.is_object()) list.entries.push_back(std::move(entry));
    }
    std::string next = member_text(answer.result, "nextCursor");
    if (next.empty()) return list;
    if (next == cursor) break;
    cursor = std::move(next);
  }
  list.trouble = "the server's pages do not end";
  return list;
}

McpEra McpClient::era() const {
  const std::lock_guard lock(state_->mutex);
  return state_->era;
}

const McpServerInfo& McpClient::info() const { return state_->info; }
bool McpClient::offers(const char* capability) const { return state_->info.capabilities.contains(capability); }
std::string McpClient::last_words() const { return state_->link ? state_->link->last_words() : std::string(); }

}  // namespace tern
