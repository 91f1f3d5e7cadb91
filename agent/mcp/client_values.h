// What is asked of an MCP server and what comes back, as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/mcp/rpc.h"

namespace tern {

// legacy: up to 2025-11-25, opened by "initialize". modern: 2026-07-28, every request stands alone.
enum class McpEra { unknown, legacy, modern };
enum class McpTopic { tools, resources, prompts };

struct McpClientSettings {
  std::string version;  // of this program
  std::vector<std::filesystem::path> roots;
  std::chrono::milliseconds start_timeout{30'000}, call_timeout{300'000}, stream_timeout{500};
  McpEra remembered = McpEra::unknown;                 // tried first
  std::function<void(McpTopic)> on_changed = nullptr;  // a list is another one now
  std::function<void(std::string)> on_log = nullptr;   // a line of the server's log
  // A question for the person ("elicitation/create"), answered by a result. Waits, on a thread of its own;
  // null: nobody is there.
  std::function<nlohmann::json(const nlohmann::json& params, std::stop_token stop)> on_question = nullptr;
  std::function<void(std::string why)> on_gone = nullptr;  // once
};

enum class McpFailure { none, refused, timed_out, cancelled, gone, too_large, unusable };

struct McpAnswer {
  nlohmann::json result;
  McpFailure failure = McpFailure::none;
  RpcError error;   // of refused
  std::string why;  // for people and the model; empty without a failure
};

struct McpAsk {
  std::chrono::milliseconds timeout{0};  // since the server's last word about it; 0: as in the settings
  std::stop_token stop = {};
  std::function<void(const std::string&)> on_progress = nullptr;  // "3 of 10: reading"
};

struct McpServerInfo {
  std::string name, version, protocol, instructions;
  nlohmann::json capabilities = nlohmann::json::object();
};

struct McpList {
  std::vector<nlohmann::json> entries;
  std::string trouble;  // why it is not whole
};

}  // namespace tern
