// The client (an editor) as the agent sees it: told of things, asked for things, answered. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/mcp/rpc.h"
#include "app/acp/acp_writer.h"

namespace tern {

// What a client may be told beyond the base of the protocol.
struct AcpClientAbilities {
  bool notices = false, compactions = false, terminal_login = false, reads_files = false;
};
AcpClientAbilities client_abilities(const nlohmann::json& params);  // of "initialize"

namespace acp_code {
inline constexpr int no_login = -32000, not_found = -32002;
}

class AcpClient {
 public:
  // `answer` is null when there is no usable one: an error, or something else.
  using Answered = std::function<void(const nlohmann::json* answer)>;

  explicit AcpClient(AcpWriter& writer) : writer_(writer) {}

  void update(std::string_view session, const nlohmann::json& update);  // "session/update"
  std::int64_t ask(std::string_view method, const nlohmann::json& params, Answered answered);
  void withdraw(std::int64_t question);  // its answer is no longer wanted
  void answer(const nlohmann::json& id, const nlohmann::json& result);
  void fail(const nlohmann::json& id, int code, std::string_view message);

  void take(const RpcMessage& message);  // an answer of the client; one to no question of ours is passed over

  void set_abilities(AcpClientAbilities abilities);
  AcpClientAbilities abilities() const;

 private:
  AcpWriter& writer_;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Answered> asked_;
  std::int64_t next_ = 1;
  AcpClientAbilities abilities_;
};

}  // namespace tern
