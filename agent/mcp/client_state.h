// What the parts of McpClient share: the connection as its threads see it.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "agent/mcp/client_values.h"
#include "agent/mcp/link.h"
#include "agent/mcp/param_headers.h"
#include "agent/mcp/server_questions.h"

namespace tern {

struct PendingAnswer {
  McpAnswer answer;
  bool done = false;
  std::chrono::steady_clock::time_point heard;
  std::function<void(const std::string&)> on_progress;
};

inline McpAnswer failed(McpFailure failure, std::string why) {
  McpAnswer answer;
  answer.failure = failure;
  answer.why = std::move(why);
  return answer;
}

struct McpClientState {
  std::unique_ptr<McpLink> link;
  McpClientSettings settings;
  McpServerInfo info;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  std::map<std::int64_t, std::shared_ptr<PendingAnswer>> pending;
  std::int64_t last_id = 0;
  McpEra era = McpEra::unknown;
  bool gone = false, hearing = false;
  std::string why_gone;
  std::map<std::string, std::vector<ParamHeader>> param_headers;  // by tool
  std::deque<RpcMessage> questions;                               // for the person, one after another
  int asking = 0;  // while one is open no call runs out of time

  std::jthread asker, listener;  // go first

  void ask_person(RpcMessage question);
  void answer_questions(std::stop_token stop);
  void subscribe(std::stop_token stop);
  void hear(std::string text);
  void hear_answer(RpcMessage message);
  void hear_notice(const RpcMessage& message);
  void hear_progress(const nlohmann::json& params);
  void hear_oversized(std::string_view head, std::string_view tail);
  void answer_server(const RpcMessage& request);
  void lose(const std::string& why);
  void settle(std::int64_t id, McpAnswer answer);

  bool usable(const std::string& method, const nlohmann::json& entry);
  McpAnswer show_addresses(McpAnswer refused, const McpAsk& ask);
  nlohmann::json meta() const;
  McpAnswer ask_once(const std::string& method, nlohmann::json params, const McpAsk& ask);
  McpAnswer wait_for(std::int64_t id, const std::shared_ptr<PendingAnswer>& pending, const McpAsk& ask);
  void cancel(std::int64_t id, const char* reason);
  std::string open_legacy(std::stop_token stop, bool& refused);
  std::string open_modern(std::stop_token stop, bool& refused);
  void take_server(const nlohmann::json& result, const nlohmann::json& server);
};

}  // namespace tern
