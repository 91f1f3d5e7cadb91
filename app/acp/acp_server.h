// The methods of the protocol: what a client's message means, and the sessions it may mean it for. One
// thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/acp/acp_session.h"
#include "app/acp/acp_world.h"

namespace tern {

class AcpServer {
 public:
  AcpServer(const AcpWorld& world, AcpWriter& writer) : world_(world), client_(writer) {}
  ~AcpServer();  // ends all sessions at the same time, and waits for them

  void take(std::string line);
  void too_long(std::string_view head, std::string_view tail);

 private:
  using Json = nlohmann::json;
  void call(const std::string& method, const Json& id, const Json& params);
  void notified(const std::string& method, const Json& params);
  void initialize(const Json& id, const Json& params);
  void authenticate(const Json& id, const Json& params);
  void logout(const Json& id);
  void open(AcpSession::Begin begin, const Json& id, const Json& params);
  void list(const Json& id, const Json& params);
  void remove(const Json& id, const Json& params);
  void prompt(const Json& id, const Json& params);
  void close(const Json& id, const Json& params);
  void set_mode(const Json& id, const Json& params);
  void set_option(const Json& id, const Json& params);
  std::shared_ptr<AcpSession> find(const Json& params);
  std::vector<std::shared_ptr<AcpSession>> sessions();
  std::shared_ptr<AcpSession> session_of(const Json& id, const Json& params);  // null: refused
  void sweep();                                                                // sessions that have ended

  const AcpWorld& world_;
  AcpClient client_;
  std::mutex mutex_;  // of the three below: sessions open on their own threads
  std::vector<std::shared_ptr<AcpSession>> all_;
  std::map<std::string, std::weak_ptr<AcpSession>> open_;  // weak: a session never ends on its own thread
  std::map<std::string, std::filesystem::path> places_;  // where the sessions are that the client was told of
};

}  // namespace tern
