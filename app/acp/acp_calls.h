// The tool calls of a session as the client sees them: each is told once whole, then what has changed of it.
// One thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/protocol/event.h"

namespace tern {

class AcpCalls {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  AcpCalls(std::filesystem::path cwd, std::function<void(const nlohmann::json&)> send, Clock now);

  void announced(const ToolCall& call);  // by the model: it may yet be refused
  void started(const ToolStarted& call);
  void progressed(const ToolProgress& progress);
  void finished(const ToolFinished& call);
  void forget() { calls_.clear(); }  // between turns: nothing is open
  // What "session/request_permission" says of the call.
  nlohmann::json question(const PermissionAsked& asked);

 private:
  struct Call {
    std::string title, kind, path, tail;
    std::size_t line = 0;
    std::chrono::steady_clock::time_point shown{};
  };
  Call& known(const std::string& id, const std::string& tool, const std::string& label,
              const std::string& subject);
  void look_at_arguments(Call& call, const std::string& arguments, nlohmann::json& update) const;
  nlohmann::json message(const std::string& id, const Call& call, bool whole, const char* status) const;

  std::filesystem::path cwd_;
  std::function<void(const nlohmann::json&)> send_;
  Clock now_;
  std::map<std::string, Call> calls_;
};

}  // namespace tern
