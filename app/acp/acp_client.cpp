#include "app/acp/acp_client.h"

#include <utility>

namespace tern {
namespace {

using nlohmann::json;

const json& inside(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

}  // namespace

AcpClientAbilities client_abilities(const json& params) {
  const auto& all = inside(params, "clientCapabilities");
  const auto& session = inside(all, "session");
  AcpClientAbilities abilities;
  abilities.notices = inside(session, "notices").is_object();
  abilities.compactions = inside(session, "compaction").is_object();
  abilities.terminal_login = inside(inside(all, "auth"), "terminal") == json(true);
  abilities.reads_files = inside(inside(all, "fs"), "readTextFile") == json(true);
  return abilities;
}

void AcpClient::update(std::string_view session, const json& update) {
  json params;
  params["sessionId"] = std::string(session);
  params["update"] = update;
  writer_.send(rpc_notification("session/update", params));
}

std::int64_t AcpClient::ask(std::string_view method, const json& params, Answered answered) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_++;
    asked_.emplace(id, std::move(answered));
  }
  writer_.send(rpc_request(id, method, params));
  return id;
}

void AcpClient::withdraw(std::int64_t question) {
  const std::lock_guard lock(mutex_);
  asked_.erase(question);
}

void AcpClient::answer(const json& id, const json& result) { writer_.send(rpc_result(id, result)); }

void AcpClient::fail(const json& id, int code, std::string_view message) {
  writer_.send(rpc_failure(id, code, message));
}

void AcpClient::take(const RpcMessage& message) {
  Answered answered;
  {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(message.ours);
    if (found == asked_.end()) return;
    answered = std::move(found->second);
    asked_.erase(found);
  }
  answered(message.kind == RpcKind::result ? &message.body : nullptr);
}

void AcpClient::set_abilities(AcpClientAbilities abilities) {
  const std::lock_guard lock(mutex_);
  abilities_ = abilities;
}

AcpClientAbilities AcpClient::abilities() const {
  const std::lock_guard lock(mutex_);
  return abilities_;
}

}  // namespace tern
