#include "agent/mcp/rpc.h"

#include <charconv>

#include "tools/exec/output_ring.h"
#include "tools/set/args.h"

namespace tern {

namespace {

using nlohmann::json;

RpcMessage unreadable(std::string why, int code = rpc_code::invalid_request) {
  RpcMessage message;
  message.why = std::move(why);
  message.code = code;
  return message;
}

std::int64_t number_of(const json& id) {
  if (id.is_number_integer()) return id.get<std::int64_t>();
  if (!id.is_string()) return 0;
  const auto& text = id.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

RpcError error_of(const json& error) {
  RpcError read;
  if (!error.is_object()) return read;
  read.code = static_cast<int>(whole_number(error.value("code", json()), 0));
  read.message = member_text(error, "message");
  if (const auto data = error.find("data"); data != error.end()) read.data = *data;
  return read;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The unit behind "\u" at `at`, or −1.
int escape_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int unit = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

std::string message_text(json message) {
  message["jsonrpc"] = "2.0";
  return one_line(message);
}

}  // namespace

std::string one_line(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string member_text(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string mend_surrogates(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') continue;
    const int unit = escape_at(text, at);
    const bool high = unit >= 0xD800 && unit < 0xDC00, low = unit >= 0xDC00 && unit < 0xE000;
    const int next = high ? escape_at(text, at + 6) : -1;
    const bool pair = high && next >= 0xDC00 && next < 0xE000;
    if ((high && !pair) || low) text.replace(at + 2, 4, "fffd");
    at += pair ? 11 : unit >= 0 ? 5 : 1;
  }
  return text;
}

RpcMessage read_rpc(std::string text) {
  text = valid_utf8(std::move(text));
  if (nests_too_deep(text)) return unreadable("it is nested too deeply");
  json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) root = json::parse(mend_surrogates(std::move(text)), nullptr, false);
  if (root.is_discarded()) return unreadable("it is not JSON", rpc_code::parse);
  if (root.is_array()) return unreadable("it is a batch");
  if (!root.is_object()) return unreadable("it is not a JSON-RPC message");
  RpcMessage message;
  if (const auto id = root.find("id"); id != root.end()) message.id = *id;
  message.ours = number_of(message.id);
  message.method = member_text(root, "method");
  const auto take = [&root](const char* name) {
    const auto found = root.find(name);
    return found == root.end() ? json::object() : std::move(*found);
  };
  if (!message.method.empty()) {
    message.kind = message.id.is_null() ? RpcKind::notification : RpcKind::request;
    message.body = take("params");
  } else if (root.contains("error")) {
    message.kind = RpcKind::error;
    message.error = error_of(root["error"]);
  } else if (root.contains("result")) {
    message.kind = RpcKind::result;
    message.body = take("result");
  } else {
    message.why = "it is not a JSON-RPC message";
    message.code = rpc_code::invalid_request;
  }
  return message;
}

std::string rpc_request(std::int64_t id, std::string_view method, const json& params) {
  return message_text({{"id", id}, {"method", method}, {"params", params}});
}

std::string rpc_notification(std::string_view method, const json& params) {
  json message{{"method", method}};
  if (!params.is_null()) message["params"] = params;
  return message_text(std::move(message));
}

std::string rpc_result(const json& id, const json& result) {
  return message_text({{"id", id}, {"result", result}});
}

std::string rpc_failure(const json& id, int code, std::string_view message) {
  return message_text({{"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

std::optional<std::int64_t> id_in_fragments(std::string_view head, std::string_view tail) {
  constexpr std::string_view key = "\"id\":";
  for (const auto& [text, at] : {std::pair{tail, tail.rfind(key)}, std::pair{head, head.find(key)}}) {
    if (at == text.npos) continue;
    std::string_view rest = text.substr(at + key.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '"')) rest.remove_prefix(1);
    std::int64_t number = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec == std::errc()) return number;
  }
  return std::nullopt;
}

}  // namespace tern
