#include "agent/mcp/client.h"
#include "agent/mcp/client_state.h"

namespace tern {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kMostPages = 200, kMostRounds = 8;
constexpr int kMostLimits = 12;  // so many times its limit a call takes at most, whatever progress it tells
constexpr std::size_t kMostEntries = 2'000, kMostListBytes = 4u << 20;

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

// ---------------------------------------------------------------- what arrives

void McpClientState::hear(std::string text) {
  RpcMessage message = read_rpc(std::move(text));
  switch (message.kind) {
    case RpcKind::result:
    case RpcKind::error: return hear_answer(std::move(message));
    case RpcKind::notification: return hear_notice(message);
    case RpcKind::request: return answer_server(message);
    case RpcKind::unreadable: return;  // servers print to their output what belongs on stderr
  }
}

void McpClientState::hear_answer(RpcMessage message) {
  McpAnswer answer;
  if (message.kind == RpcKind::error) {
    answer.failure = McpFailure::refused;
    answer.why =
        message.error.message.empty() ? "error " + std::to_string(message.error.code) : message.error.message;
    answer.error = std::move(message.error);
  } else if (!message.body.is_object()) {
    answer = failed(McpFailure::unusable, "the server's answer is not an object");
  } else {
    answer.result = std::move(message.body);
  }
  settle(message.ours, std::move(answer));
}

void McpClientState::settle(std::int64_t id, McpAnswer answer) {
  const std::lock_guard lock(mutex);
  const auto found = pending.find(id);
  if (found == pending.end() || found->second->done) return;
  found->second->answer = std::move(answer);
  found->second->done = true;
  changed.notify_all();
}

void McpClientState::hear_notice(const RpcMessage& message) {
  if (message.method == "notifications/progress") return hear_progress(message.body);
  if (message.method == "notifications/message" && settings.on_log) {
    const auto data = message.body.find("data");
    settings.on_log(data == message.body.end() ? ""
                    : data->is_string()        ? data->get<std::string>()
                                               : one_line(*data));
  }
  if (!settings.on_changed) return;
  if (message.method == "notifications/tools/list_changed") settings.on_changed(McpTopic::tools);
  if (message.method == "notifications/resources/list_changed") settings.on_changed(McpTopic::resources);
  if (message.method == "notifications/prompts/list_changed") settings.on_changed(McpTopic::prompts);
}

void McpClientState::hear_progress(const json& params) {
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

void McpClientState::hear_oversized(std::string_view head, std::string_view tail) {
  std::optional<std::int64_t> id = id_in_fragments(head, tail);
  {
    const std::lock_guard lock(mutex);
    if ((!id || !pending.contains(*id)) && pending.size() == 1) id = pending.begin()->first;
  }
  if (id) settle(*id, failed(McpFailure::too_large, "the server's answer is larger than 8 MB"));
}

void McpClientState::answer_server(const RpcMessage& request) {
  if (request.method == "elicitation/create" && settings.on_question) return ask_person(request);
  const ServerQuestion answer = answer_question(request.method, settings.roots);
  Outgoing out;
  out.text = answer.code == 0
                 ? rpc_result(request.id, answer.result)
                 : rpc_failure(request.id, answer.code, "tern does not support " + request.method);
  link->send(out, {});
}

void McpClientState::lose(const std::string& why) {
  {
    const std::lock_guard lock(mutex);
    if (gone) return;
    gone = true;
    why_gone = why;
    for (auto& [id, each] : pending)
      if (!std::exchange(each->done, true))
        each->answer = failed(McpFailure::gone, "the server is gone: " + why);
    changed.notify_all();
  }
  if (settings.on_gone) settings.on_gone(why);
}

// ---------------------------------------------------------------- what is asked

McpAnswer McpClientState::ask_once(const std::string& method, json params, const McpAsk& ask) {
  auto mine = std::make_shared<PendingAnswer>();
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
  Outgoing out{.text = rpc_request(id, method, params),
               .method = method,
               .name = target_name(params),
               .headers = {},
               .wants_answer = true,
               .id = id,
               .answered = [this, mine] {
                 const std::lock_guard lock(mutex);
                 return mine->done;
               }};
  if (method == "tools/call") {
    const std::lock_guard lock(mutex);
    if (const auto found = param_headers.find(out.name); found != param_headers.end())
      out.headers = values_of(found->second, params.value("arguments", json::object()));
  }
  const std::string why = link->send(out, ask.stop);
  if (!why.empty())
    settle(id, failed(ask.stop.stop_requested() ? McpFailure::cancelled : McpFailure::gone, why));
  McpAnswer answer = wait_for(id, mine, ask);
  const std::lock_guard lock(mutex);
  pending.erase(id);
  return answer;
}

McpAnswer McpClientState::wait_for(std::int64_t id, const std::shared_ptr<PendingAnswer>& mine,
                                   const McpAsk& ask) {
  const auto limit = ask.timeout.count() > 0 ? ask.timeout : settings.call_timeout;
  Clock::time_point wall = Clock::now() + limit * kMostLimits;
  std::unique_lock lock(mutex);
  while (!mine->done) {
    const Clock::time_point deadline = std::min(mine->heard + limit, wall);
    if (changed.wait_until(lock, ask.stop, deadline, [&] { return mine->done; })) break;
    const bool stopped = ask.stop.stop_requested();
    if (!stopped && asking > 0) {  // it waits for the user
      mine->heard = Clock::now();
      wall = std::max(wall, mine->heard + limit);
    }
    if (!stopped && Clock::now() < std::min(mine->heard + limit, wall)) continue;  // it has told of progress
    const auto waited = Clock::now() < wall ? limit : limit * kMostLimits;
    lock.unlock();
    cancel(id, stopped ? "cancelled by the user" : "timed out");
    if (stopped) return failed(McpFailure::cancelled, "cancelled");
    return failed(McpFailure::timed_out,
                  "no answer in " + std::to_string((waited.count() + 999) / 1000) + " s");
  }
  return std::move(mine->answer);
}

void McpClientState::cancel(std::int64_t id, const char* reason) {
  if (id == 1 && era == McpEra::unknown) return;  // "initialize" must not be cancelled
  Outgoing out;
  out.text = rpc_notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
  out.method = "notifications/cancelled";
  link->send(out, {});
}

McpClient::McpClient(std::unique_ptr<McpLink> link, McpClientSettings settings)
    : state_(std::make_unique<McpClientState>()) {
  state_->link = std::move(link);
  state_->settings = std::move(settings);
}

McpClient::~McpClient() {
  close();
  for (std::jthread* each : {&state_->asker, &state_->listener})
    if (each->joinable()) each->join();
  state_->link.reset();  // no event comes after this
}

std::string McpClient::open(std::stop_token stop) {
  McpClientState& s = *state_;
  LinkEvents events;
  events.on_message = [&s](std::string text) { s.hear(std::move(text)); };
  events.on_oversized = [&s](std::string_view head, std::string_view tail) { s.hear_oversized(head, tail); };
  events.on_end = [&s](const std::string& why) { s.lose(why); };
  if (std::string why = s.link->open(std::move(events)); !why.empty()) return why;
  const McpEra remembered = s.settings.remembered;
  const bool modern =
      remembered == McpEra::unknown ? s.link->tries_modern_first() : remembered == McpEra::modern;
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
      if (!std::exchange(each->done, true))
        each->answer = failed(McpFailure::gone, "the connection was closed");
    state_->changed.notify_all();
  }
  state_->asker.request_stop();  // neither is begun any more
  state_->listener.request_stop();
  if (state_->link) state_->link->close();
}

McpAnswer McpClient::request(const std::string& method, json params, const McpAsk& ask) {
  for (int round = 0; round < kMostRounds; ++round) {
    McpAnswer answer = state_->ask_once(method, params, ask);
    if (answer.failure == McpFailure::refused && answer.error.code == rpc_code::needs_url)
      return state_->show_addresses(answer, ask);
    if (answer.failure != McpFailure::none || member_text(answer.result, "resultType") != "input_required")
      return answer;
    std::string why;
    AskPerson person;
    if (state_->settings.on_question)
      person = [&](const json& question) { return state_->settings.on_question(question, ask.stop); };
    const json responses = answer_inputs(answer.result, state_->settings.roots, person, why);
    if (ask.stop.stop_requested()) return failed(McpFailure::cancelled, "cancelled");
    if (!why.empty()) return failed(McpFailure::unusable, why);
    params["inputResponses"] = responses;
    params.erase("requestState");
    if (const auto kept = answer.result.find("requestState"); kept != answer.result.end())
      params["requestState"] = *kept;
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
    const auto found = answer.result.find(member);  // it may be large: entries are moved out of it
    json none = json::array();
    for (json& entry : found != answer.result.end() && found->is_array() ? *found : none) {
      bytes += one_line(entry).size();
      if (list.entries.size() == kMostEntries || bytes > kMostListBytes) {
        list.trouble = "only the first " + std::to_string(list.entries.size()) + " are kept";
        return list;
      }
      if (entry.is_object() && state_->usable(method, entry)) list.entries.push_back(std::move(entry));
    }
    std::string next = member_text(answer.result, "nextCursor");
    if (next.empty()) return list;
    if (next == cursor) break;
    cursor = std::move(next);
  }
  list.trouble = "the server's list never ends";
  return list;
}

McpEra McpClient::era() const {
  const std::lock_guard lock(state_->mutex);
  return state_->era;
}

const McpServerInfo& McpClient::info() const { return state_->info; }
bool McpClient::offers(const char* capability) const {
  return state_->info.capabilities.contains(capability);
}
bool McpClient::wants_sign_in() const { return state_->link && state_->link->wants_sign_in(); }
std::string McpClient::last_words() const {
  return state_->link ? state_->link->last_words() : std::string();
}

}  // namespace tern
