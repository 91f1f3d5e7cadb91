// How a connection is opened in either era, and what a server wants to know of the person on the way.
#include <algorithm>
#include <array>

#include "agent/mcp/client.h"
#include "agent/mcp/client_state.h"

namespace tern {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kLegacy = "2025-11-25";
constexpr const char* kModern = "2026-07-28";
constexpr std::array kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::size_t kMostQuestions = 8;
constexpr int kMostSubscriptions = 10;
constexpr std::chrono::milliseconds kOneSubscription = std::chrono::hours(24),
                                    kLongSubscription = std::chrono::minutes(1),
                                    kBetweenSubscriptions = std::chrono::seconds(1);

}  // namespace

json McpClientState::meta() const {
  return {
      {"io.modelcontextprotocol/protocolVersion", kModern},
      {"io.modelcontextprotocol/clientCapabilities", client_capabilities(settings.on_question != nullptr)},
      {"io.modelcontextprotocol/logLevel", "warning"},
      {"io.modelcontextprotocol/clientInfo", {{"name", "tern"}, {"version", settings.version}}}};
}

void McpClientState::take_server(const json& result, const json& server) {
  info.name = member_text(server, "name");
  info.version = member_text(server, "version");
  info.instructions = member_text(result, "instructions");
  const auto capabilities = result.find("capabilities");
  if (capabilities != result.end() && capabilities->is_object()) info.capabilities = *capabilities;
  link->settled(info.protocol, era == McpEra::modern);
}

std::string McpClientState::open_legacy(std::stop_token stop, bool& refused) {
  const json params{{"protocolVersion", kLegacy},
                    {"capabilities", client_capabilities(settings.on_question != nullptr)},
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
  out.text = rpc_notification("notifications/initialized", nullptr);
  out.method = "notifications/initialized";
  return link->send(out, stop);
}

std::string McpClientState::open_modern(std::stop_token stop, bool& refused) {
  const auto discover = [&] {
    return ask_once("server/discover", {{"_meta", meta()}},
                    {.timeout = settings.start_timeout, .stop = stop});
  };
  McpAnswer answer = discover();
  if (answer.error.code == rpc_code::no_version &&
      answer.error.data.is_object()) {  // ours may be among those it names
    const json known = answer.error.data.value("supported", json::array());
    if (std::find(known.begin(), known.end(), kModern) != known.end()) answer = discover();
  }
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
  take_server(answer.result, result_meta.is_object()
                                 ? result_meta.value("io.modelcontextprotocol/serverInfo", json::object())
                                 : json::object());
  return {};
}

// The thread that reads has more to do than to wait for a person.
void McpClientState::ask_person(RpcMessage question) {
  std::unique_lock lock(mutex);
  if (gone) return;
  if (questions.size() == kMostQuestions) {
    lock.unlock();
    Outgoing out;
    out.text = rpc_result(question.id, {{"action", "decline"}});
    link->send(out, {});
    return;
  }
  questions.push_back(std::move(question));
  if (!asker.joinable()) asker = std::jthread([this](std::stop_token stop) { answer_questions(stop); });
  changed.notify_all();
}

void McpClientState::answer_questions(std::stop_token stop) {
  std::unique_lock lock(mutex);
  while (changed.wait(lock, stop, [this] { return !questions.empty(); })) {
    const RpcMessage question = std::move(questions.front());
    questions.pop_front();
    ++asking;
    lock.unlock();
    Outgoing out;
    out.text = rpc_result(question.id, settings.on_question(question.body, stop));
    if (!stop.stop_requested()) link->send(out, stop);
    lock.lock();
    --asking;
    for (auto& [id, each] : pending) each->heard = Clock::now();
    changed.notify_all();
  }
}

void McpClient::listen() {
  std::unique_lock lock(state_->mutex);
  if (state_->gone || state_->listener.joinable()) return;
  if (state_->era == McpEra::modern) {
    state_->listener = std::jthread([s = state_.get()](std::stop_token stop) { s->subscribe(stop); });
    return;
  }
  state_->listener = std::jthread([s = state_.get()](std::stop_token stop) {
    const auto open = [s] {
      const std::lock_guard guard(s->mutex);
      s->hearing = true;
      s->changed.notify_all();
    };
    s->link->listen(stop, open);
    open();  // it has no such stream
  });
  state_->changed.wait_for(lock, state_->settings.stream_timeout,
                           [this] { return state_->hearing || state_->gone; });
}

// The new era says nothing unasked but to who has asked for that. The request stays open; where it ends it is
// made anew.
void McpClientState::subscribe(std::stop_token stop) {
  json wanted = json::object();
  for (const char* each : {"tools", "prompts", "resources"}) {
    const json offered = info.capabilities.value(each, json());
    if (offered.is_object() && offered.value("listChanged", json()) == true)
      wanted[std::string(each) + "ListChanged"] = true;
  }
  for (int tries = 0; !wanted.empty() && tries < kMostSubscriptions && !stop.stop_requested(); ++tries) {
    const Clock::time_point begun = Clock::now();
    const McpAnswer answer = ask_once("subscriptions/listen", {{"notifications", wanted}},
                                      {.timeout = kOneSubscription, .stop = stop});
    if (answer.failure == McpFailure::refused) return;
    if (Clock::now() - begun > kLongSubscription) tries = 0;
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, stop, kBetweenSubscriptions * (tries + 1), [this] { return gone; })) return;
  }
}

// A tool of the new era whose schema asks for headers that must not be is none.
bool McpClientState::usable(const std::string& method, const json& entry) {
  if (method != "tools/list") return true;
  std::vector<ParamHeader> headers;
  const bool good = read_param_headers(entry.value("inputSchema", json::object()), headers);
  const std::lock_guard lock(mutex);
  if (era != McpEra::modern) return true;
  if (good) param_headers[member_text(entry, "name")] = std::move(headers);
  return good;
}

// A call that first needs the person to finish something in a browser. When that is done nobody can tell but
// they.
McpAnswer McpClientState::show_addresses(McpAnswer refused, const McpAsk& ask) {
  const json all = refused.error.data.is_object() ? refused.error.data.value("elicitations", json::array())
                                                  : json::array();
  std::string shown;
  for (const json& each : all.is_array() && settings.on_question ? all : json::array()) {
    json question = each;
    if (question.is_object()) question["mode"] = "url";
    if (member_text(settings.on_question(question, ask.stop), "action") == "accept")
      shown += " " + member_text(each, "url");
  }
  if (!shown.empty())
    refused.why = "the user has to finish something in the browser first:" + shown +
                  ". They see it now; call again when they are done";
  return refused;
}

}  // namespace tern
