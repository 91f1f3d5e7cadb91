// What happens in a session, as the updates of the protocol. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "app/acp/acp_calls.h"
#include "app/acp/acp_client.h"

namespace tern {

class AcpUpdates {
 public:
  struct World {
    std::filesystem::path cwd;
    AcpClientAbilities abilities;
    std::function<void(const nlohmann::json&)> send;
    AcpCalls::Clock now;
    std::function<std::string(std::uint64_t batch)> summary;  // what a compaction wrote, for people
  };
  explicit AcpUpdates(World world);

  void tell(const Event& event);    // as it happens
  void replay(const Event& event);  // of a conversation that is loaded
  void answer(const Event& event);  // to a command that asked for a page
  void usage(const Meters& meters);
  AcpCalls& calls() { return calls_; }

  static bool is_answer(const Event& event);

 private:
  void chunk(const char* kind, std::string_view text);
  void added(const Item& item);
  void user_said(const Item& item);
  void compaction(const Compaction& event);
  void notice(const Notice& notice);

  World world_;
  AcpCalls calls_;
  std::uint64_t message_ = 1, compaction_ = 0;
  bool streamed_ = false;  // of the message that is being written
  bool compacting_ = false;
  bool planned_ = false;                            // the client shows tasks
  std::map<std::string, nlohmann::json> pictures_;  // of results that are replayed, by their call
};

// The tasks of the model: an update of the kind "plan".
nlohmann::json acp_plan(const Todos& todos);

}  // namespace tern
