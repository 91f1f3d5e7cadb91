#include "agent/mcp/rpc.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;
using nlohmann::json;

TEST_CASE("rpc: each kind of message is told apart") {
  const RpcMessage result = read_rpc(R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})");
  CHECK(result.kind == RpcKind::result);
  CHECK(result.ours == 7);
  CHECK(result.body.contains("tools"));
  const RpcMessage error =
      read_rpc(R"({"jsonrpc":"2.0","id":"8","error":{"code":-32601,"message":"no","data":{"a":1}}})");
  CHECK(error.kind == RpcKind::error);
  CHECK(error.ours == 8);
  CHECK(error.error.code == rpc_code::no_method);
  CHECK(error.error.data["a"] == 1);
  const RpcMessage request = read_rpc(R"({"jsonrpc":"2.0","id":"x-1","method":"roots/list"})");
  CHECK(request.kind == RpcKind::request);
  CHECK(request.id == "x-1");
  CHECK(request.ours == 0);
  CHECK(read_rpc(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})").kind ==
        RpcKind::notification);
}

TEST_CASE("rpc: what is no message is unreadable and says why, whatever it is") {
  for (const char* text : {"", "Server started on stdio", "[]", R"([{"jsonrpc":"2.0","id":1,"result":{}}])",
                           "{}", "1", "null", R"({"id":1})", R"({"method":5,"id":1})"})
    CHECK(read_rpc(text).kind == RpcKind::unreadable);
  CHECK(read_rpc("[1]").why == "it is a batch");
  CHECK(read_rpc(std::string(200'000, '[')).why == "it is nested too deeply");
  CHECK(read_rpc(R"({"id":1,"error":"text"})").kind == RpcKind::error);
  CHECK(read_rpc(R"({"id":1,"error":{"code":"x","message":5}})").error.code == 0);
}

TEST_CASE("rpc: broken characters cost a character and not the message") {
  CHECK(read_rpc("{\"id\":1,\"result\":{\"t\":\"a\xff z\"}}").body["t"] == "a\xef\xbf\xbd z");
  const RpcMessage lone =
      read_rpc(R"({"id":1,"result":{"t":"a\ud83d","u":"\ude00b","v":"\ud83d\ude00","w":"\\ud83d"}})");
  CHECK(lone.body["t"] == "a\xef\xbf\xbd");
  CHECK(lone.body["u"] ==
        "\xef\xbf\xbd"
        "b");
  CHECK(lone.body["v"] == "\xf0\x9f\x98\x80");
  CHECK(lone.body["w"] == "\\ud83d");
}

TEST_CASE("rpc: what we write is one line and reads back") {
  const std::string text = rpc_request(3, "tools/call", {{"name", "a\nb"}});
  CHECK(text.find('\n') == std::string::npos);
  CHECK(read_rpc(text).body["name"] == "a\nb");
  CHECK(json::parse(rpc_notification("notifications/initialized", nullptr)) ==
        json::parse(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  CHECK(json::parse(rpc_notification("initialized", json::object())) ==  // TypeScript 7 wants them
        json::parse(R"({"jsonrpc":"2.0","method":"initialized","params":{}})"));
  CHECK(json::parse(rpc_failure("q", rpc_code::no_method, "unknown"))["error"]["code"] == -32601);
  CHECK(json::parse(rpc_result(json(5), json::object()))["id"] == 5);
}

TEST_CASE("rpc: the answer that is too large is known by its ends") {
  CHECK(id_in_fragments(R"({"jsonrpc":"2.0","id":12,"result":{"content")", "xxxx") == 12);
  CHECK(id_in_fragments(R"({"result":{"content":[)", R"(xxx"}]},"jsonrpc":"2.0","id":"13"})") == 13);
  CHECK(id_in_fragments("xxx", "yyy") == std::nullopt);
}
