// JSON-RPC 2.0 as MCP uses it: one message is one text. Pure. Whatever a server writes, reading it never
// throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// Codes of JSON-RPC and of both MCP eras.
namespace rpc_code {
inline constexpr int parse = -32700, invalid_request = -32600, no_method = -32601, bad_params = -32602,
                     internal = -32603;
inline constexpr int no_resource = -32002, header_mismatch = -32020, no_capability = -32021,
                     no_version = -32022;
inline constexpr int needs_url = -32042;
}  // namespace rpc_code

struct RpcError {
  int code = 0;
  std::string message;
  nlohmann::json data = nullptr;
};

enum class RpcKind { request, notification, result, error, unreadable };

struct RpcMessage {
  RpcKind kind = RpcKind::unreadable;
  nlohmann::json id;      // of a request as the server wrote it
  std::int64_t ours = 0;  // of a result or an error: the number we gave, 0 when it is none of ours
  std::string method;
  nlohmann::json body;  // params, or result
  RpcError error;
  std::string why;             // what is unreadable, for the log
  int code = rpc_code::parse;  // what a sender of requests is told of it
};

// Invalid UTF-8 and halves of surrogate pairs become U+FFFD. A batch is unreadable: no era we speak has them.
RpcMessage read_rpc(std::string text);

std::string rpc_request(std::int64_t id, std::string_view method, const nlohmann::json& params);
std::string rpc_notification(std::string_view method, const nlohmann::json& params);
std::string rpc_result(const nlohmann::json& id, const nlohmann::json& result);
std::string rpc_failure(const nlohmann::json& id, int code, std::string_view message);

// The number of an answer of which only the first and the last bytes were kept, because it is too large.
std::optional<std::int64_t> id_in_fragments(std::string_view head, std::string_view tail);

// A JSON text whose "\ud83d" without its other half is "\ufffd".
std::string mend_surrogates(std::string text);

// One line; what is not UTF-8 is replaced.
std::string one_line(const nlohmann::json& value);
// A text member of an object; empty when it is missing or something else.
std::string member_text(const nlohmann::json& object, const char* name);

}  // namespace tern
