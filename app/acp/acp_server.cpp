#include "app/acp/acp_server.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/acp/acp_json.h"
#include "app/acp/acp_mcp.h"
#include "app/acp/stored_sessions.h"
#include "app/session/key_login.h"

namespace tern {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int64_t protocol_version = 1;
constexpr const char* key_method = "key";  // of authentication

json auth_method(const char* id, const char* name, const char* help) {
  json method;
  method["id"] = id;
  method["name"] = name;
  method["description"] = help;
  return method;
}

json abilities_of_agent() {
  const json yes = json::object();
  json agent;
  agent["loadSession"] = true;
  auto& prompt = agent["promptCapabilities"];
  prompt["image"] = true;
  prompt["audio"] = false;
  prompt["embeddedContext"] = true;
  auto& mcp = agent["mcpCapabilities"];
  mcp["http"] = true;
  mcp["sse"] = false;
  auto& sessions = agent["sessionCapabilities"];
  for (const char* name : {"list", "resume", "close", "delete", "additionalDirectories"})
    sessions[name] = yes;
  agent["auth"]["logout"] = yes;
  return agent;
}

json auth_methods(bool terminal) {
  json methods = json::array();
  if (terminal) {
    auto login =
        auth_method("login", "Add a key", "Paste an API key in a terminal; it is tried and kept for you");
    login["type"] = "terminal";
    login["args"] = json::array({"login"});
    methods.push_back(std::move(login));
  }
  methods.push_back(auth_method(
      key_method, "Use an existing key",
      "From `tern login`, from the environment (ANTHROPIC_API_KEY …), or a model server on this machine"));
  return methods;
}

// How a session reaches a model; the words are those of a session that cannot.
bool reaches_model(const SessionSetup& setup) {
  std::string why;
  const auto name = find_model(setup, why);
  const auto* kind = name ? find_provider(name->provider) : nullptr;
  return kind && !lacks_key(*kind, wire_of(setup, *kind));
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return path.is_absolute() && fs::is_directory(path, error);
}

}  // namespace

AcpServer::~AcpServer() {
  for (const auto& session : all_) session->close();
  all_.clear();
}

void AcpServer::take(std::string line) {
  sweep();
  const auto message = read_rpc(std::move(line));
  const bool odd_id = message.id.is_structured() || message.id.is_boolean();
  switch (message.kind) {
    case RpcKind::unreadable:
      return client_.fail(odd_id ? json() : message.id, message.code,
                          "This message cannot be used: " + message.why + ".");
    case RpcKind::request:
      if (odd_id) return client_.fail(nullptr, rpc_code::invalid_request, "An id is a text or a number.");
      return call(message.method, message.id, message.body);
    case RpcKind::notification: return notified(message.method, message.body);
    case RpcKind::result:
    case RpcKind::error: return client_.take(message);
  }
}

void AcpServer::too_long(std::string_view head, std::string_view tail) {
  const auto id = id_in_fragments(head, tail);
  client_.fail(id ? json(*id) : json(), rpc_code::invalid_request, "This message is too large.");
}

void AcpServer::call(const std::string& method, const json& id, const json& params) {
  using Begin = AcpSession::Begin;
  using Row = void (*)(AcpServer&, const json&, const json&);
  static const std::map<std::string, Row, std::less<>> table = {
      {"initialize", [](AcpServer& s, const json& i, const json& p) { s.initialize(i, p); }},
      {"authenticate", [](AcpServer& s, const json& i, const json& p) { s.authenticate(i, p); }},
      {"logout", [](AcpServer& s, const json& i, const json&) { s.logout(i); }},
      {"session/new", [](AcpServer& s, const json& i, const json& p) { s.open(Begin::fresh, i, p); }},
      {"session/load", [](AcpServer& s, const json& i, const json& p) { s.open(Begin::load, i, p); }},
      {"session/resume", [](AcpServer& s, const json& i, const json& p) { s.open(Begin::resume, i, p); }},
      {"session/list", [](AcpServer& s, const json& i, const json& p) { s.list(i, p); }},
      {"session/delete", [](AcpServer& s, const json& i, const json& p) { s.remove(i, p); }},
      {"session/close", [](AcpServer& s, const json& i, const json& p) { s.close(i, p); }},
      {"session/prompt", [](AcpServer& s, const json& i, const json& p) { s.prompt(i, p); }},
      {"session/set_mode", [](AcpServer& s, const json& i, const json& p) { s.set_mode(i, p); }},
      {"session/set_config_option", [](AcpServer& s, const json& i, const json& p) { s.set_option(i, p); }},
  };
  const auto found = table.find(method);
  if (found == table.end())
    return client_.fail(id, rpc_code::no_method, "There is no method \"" + method.substr(0, 80) + "\".");
  if (!params.is_object()) return client_.fail(id, rpc_code::bad_params, "\"params\" is not an object.");
  try {
    found->second(*this, id, params);
  } catch (const std::exception& error) {  // a fault of ours ends this request and nothing else
    client_.fail(id, rpc_code::internal, std::string("Internal error: ") + error.what());
  }
}

std::vector<std::shared_ptr<AcpSession>> AcpServer::sessions() {
  const std::lock_guard lock(mutex_);
  return {all_.begin(), all_.end()};
}

void AcpServer::notified(const std::string& method, const json& params) {
  if (method == "session/cancel") {
    if (const auto session = find(params)) session->cancel();
  } else if (method == "$/cancel_request" && params.is_object()) {
    const auto request = params.value("requestId", json());
    for (const auto& session : sessions())  // a session may wait for mutex_ with its own in hand
      if (session->cancel_prompt(request)) return;
  }
}

void AcpServer::initialize(const json& id, const json& params) {
  const auto abilities = client_abilities(params);
  client_.set_abilities(abilities);
  json result;
  result["protocolVersion"] = protocol_version;
  result["agentCapabilities"] = abilities_of_agent();
  result["authMethods"] = auth_methods(abilities.terminal_login);
  auto& info = result["agentInfo"];
  info["name"] = "tern";
  info["title"] = "tern";
  info["version"] = world_.version;
  client_.answer(id, result);
}

// A key is added elsewhere; this looks whether there is one now.
void AcpServer::authenticate(const json& id, const json& params) {
  if (member_text(params, "methodId") != key_method)
    return client_.fail(id, rpc_code::bad_params,
                        "There is no method of this id that goes through \"authenticate\".");
  SessionSetup setup;
  const auto wrong = world_.make_setup(world_.cwd, setup);
  if (!wrong.empty()) return client_.fail(id, rpc_code::internal, wrong);
  if (!reaches_model(setup))
    return client_.fail(id, acp_code::no_login,
                        "There is no key yet: run `tern login` in a terminal, or set ANTHROPIC_API_KEY.");
  client_.answer(id, json::object());
}

// Forgets the key of the provider that answers now; sessions that are open keep theirs.
void AcpServer::logout(const json& id) {
  SessionSetup setup;
  if (const auto wrong = world_.make_setup(world_.cwd, setup); !wrong.empty())
    return client_.fail(id, rpc_code::internal, wrong);
  std::string why;
  const auto name = find_model(setup, why);
  const auto* kind = name ? find_provider(name->provider) : nullptr;
  if (!kind) return client_.answer(id, json::object());  // there is none
  const auto told = log_out(setup, *kind);
  SessionSetup after;
  world_.make_setup(world_.cwd, after);
  if (!wire_of(after, *kind).key.empty()) return client_.fail(id, rpc_code::internal, told);
  client_.answer(id, json::object());
}

void AcpServer::open(AcpSession::Begin begin, const json& id, const json& params) {
  using Begin = AcpSession::Begin;
  const fs::path cwd = member_text(params, "cwd");
  const auto wanted = member_text(params, "sessionId");
  if (!is_folder(cwd))
    return client_.fail(id, rpc_code::bad_params, "\"cwd\" is not the absolute path of a folder.");
  if (begin != Begin::fresh && wanted.empty())
    return client_.fail(id, rpc_code::bad_params, "\"sessionId\" is missing.");
  AcpSession::Opening opening{.request = id, .begin = begin, .setup = {}, .on_open = {}};
  auto& setup = opening.setup;
  if (const auto wrong = world_.make_setup(cwd, setup); !wrong.empty())
    return client_.fail(id, rpc_code::internal, wrong);
  for (const auto& folder : member_list(params, "additionalDirectories")) {
    const fs::path path = folder.is_string() ? folder.get<std::string>() : std::string();
    if (!is_folder(path))
      return client_.fail(id, rpc_code::bad_params,
                          "An additional directory is not the absolute path of a folder.");
    setup.extra_dirs.push_back(path);
  }
  setup.open = begin == Begin::fresh ? SessionSetup::Open::fresh : SessionSetup::Open::resume;
  setup.open_what = wanted;
  setup.may_ask = setup.live = true;
  setup.own_words = false;
  setup.asks_trust = false;  // it is asked at the first prompt, when there is a session to ask in
  if (begin == Begin::fresh && setup.model.empty() && !setup.demo && !reaches_model(setup))
    return client_.fail(id, acp_code::no_login,
                        "There is no key for a model yet: run `tern login` in a terminal.");
  setup.mcp = merge_mcp_servers({std::move(setup.mcp), client_servers(member_list(params, "mcpServers"))});
  std::shared_ptr<AcpSession> session, before;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = open_.find(wanted); begin != Begin::fresh && found != open_.end()) {
      opening.before = found->second.lock();
      std::erase(all_, opening.before);
      open_.erase(found);
    }
    opening.on_open = [this, cwd](const std::string& known, std::weak_ptr<AcpSession> self) {
      const std::lock_guard inner(mutex_);
      places_[known] = cwd;
      open_[known] = std::move(self);
    };
    before = opening.before;
    session = std::make_shared<AcpSession>(client_, std::move(opening));
    all_.push_back(session);
  }
  if (before) before->close();
  before.reset();
  session->start();
}

std::shared_ptr<AcpSession> AcpServer::find(const json& params) {
  const auto id = member_text(params, "sessionId");
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<AcpSession> AcpServer::session_of(const json& id, const json& params) {
  auto session = find(params);
  if (!session) client_.fail(id, acp_code::not_found, "There is no open session of this id.");
  return session;
}

void AcpServer::prompt(const json& id, const json& params) {
  const auto session = session_of(id, params);
  if (session) session->prompt(id, read_prompt(params.value("prompt", json()), session->cwd()));
}

void AcpServer::close(const json& id, const json& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  {
    const std::lock_guard lock(mutex_);
    open_.erase(member_text(params, "sessionId"));
  }
  session->close(id);
}

void AcpServer::set_mode(const json& id, const json& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  if (!session->set("mode", member_text(params, "modeId")))
    return client_.fail(id, rpc_code::bad_params, "There is no such mode.");
  client_.answer(id, json::object());
}

void AcpServer::set_option(const json& id, const json& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  if (!session->set(member_text(params, "configId"), member_text(params, "value")))
    return client_.fail(id, rpc_code::bad_params, "There is no such option, or no such value of it.");
  json result;
  result["configOptions"] = session->config();
  client_.answer(id, result);
}

void AcpServer::list(const json& id, const json& params) {
  const auto given = member_text(params, "cwd");
  const fs::path cwd = given.empty() ? world_.cwd : fs::path(given);
  if (!is_folder(cwd))
    return client_.fail(id, rpc_code::bad_params, "\"cwd\" is not the absolute path of a folder.");
  const auto result = stored_sessions(cwd, world_.state_dir, member_text(params, "cursor"));
  {
    const std::lock_guard lock(mutex_);
    for (const auto& one : result["sessions"]) places_[member_text(one, "sessionId")] = cwd;
  }
  client_.answer(id, result);
}

// It leaves the lists; its log stays, for others may have come from it.
void AcpServer::remove(const json& id, const json& params) {
  const auto wanted = member_text(params, "sessionId");
  fs::path cwd = world_.cwd;
  std::shared_ptr<AcpSession> session;
  {
    const std::lock_guard lock(mutex_);
    if (const auto open = open_.find(wanted); open != open_.end()) {
      session = open->second.lock();
      open_.erase(open);
    }
    if (const auto place = places_.find(wanted); place != places_.end()) cwd = place->second;
  }
  if (session) session->close();  // a session may wait for mutex_ with its own in hand
  if (!hide_session(cwd, world_.state_dir, wanted))
    return client_.fail(id, acp_code::not_found, "There is no session of this id.");
  client_.answer(id, json::object());
}

void AcpServer::sweep() {
  std::vector<std::shared_ptr<AcpSession>> gone;  // ends outside the lock
  const std::lock_guard lock(mutex_);
  for (const auto& session : all_)
    if (session->ended()) gone.push_back(session);
  std::erase_if(all_, [](const auto& session) { return session->ended(); });
  std::erase_if(open_, [](const auto& one) { return one.second.expired(); });
}

}  // namespace tern
