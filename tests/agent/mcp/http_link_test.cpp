// Servers behind an address, of both eras.
#include "agent/mcp/http_link.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/mcp/client.h"
#include "agent/mcp/headers_helper.h"
#include "agent/models/http.h"
#include "tests/support/mcp_rig.h"
#include "tests/support/places.h"
#include "tests/support/tiny_http.h"
#include "tools/exec/process.h"

using namespace tern;
using nlohmann::json;
using test::HttpAsked;
using test::TinyHttp;

namespace {

std::string answer(int status, const std::string& type, const std::string& body,
                   const std::string& more = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type + "\r\n" + more +
         "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string answer_json(const json& id, const json& result, const std::string& more = {}) {
  return answer(200, "application/json", json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}.dump(),
                more);
}

json text_result(const std::string& text) { return {{"content", {{{"type", "text"}, {"text", text}}}}}; }

std::string old_server(const HttpAsked& asked) {
  const json message = json::parse(asked.body, nullptr, false);
  if (asked.method == "DELETE") return answer(200, "text/plain", "");
  if (asked.method == "GET")  // the rest of a stream that was cut
    return answer(
        200, "text/event-stream",
        "id: e2\ndata: " + json{{"jsonrpc", "2.0"}, {"id", 3}, {"result", text_result("resumed")}}.dump() +
            "\n\n");
  const std::string method = message.value("method", "");
  if (method == "server/discover")
    return answer(
        400, "application/json",
        R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null})");
  if (method == "initialize")
    return answer_json(message["id"],
                       {{"protocolVersion", "2025-11-25"},
                        {"capabilities", json::object()},
                        {"serverInfo", {{"name", "old"}}}},
                       "Mcp-Session-Id: s-1\r\n");
  if (!message.contains("id")) return answer(202, "text/plain", "");
  if (message["params"].value("name", "") == "cut")
    return answer(200, "text/event-stream", "id: e1\nretry: 10\ndata: \n\n");
  const std::string progress =
      json{{"jsonrpc", "2.0"}, {"method", "notifications/message"}, {"params", {{"data", "x"}}}}.dump();
  const std::string result =
      json{{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", text_result("streamed")}}.dump();
  return answer(200, "text/event-stream", "data: " + progress + "\n\ndata: " + result + "\n\n");
}

std::string first_text(const McpAnswer& answered) {
  return answered.failure == McpFailure::none ? answered.result["content"][0].value("text", "")
                                              : answered.why;
}

std::unique_ptr<McpClient> client_of(const TinyHttp& server) {
  return std::make_unique<McpClient>(
      std::make_unique<HttpLink>(server.url(), NamedTexts{{"Authorization", "Bearer t"}},
                                 std::chrono::seconds(10)),
      McpClientSettings{.version = "1.0"});
}

}  // namespace

TEST_CASE("mcp http: a server of the old era is found out, keeps its session and is told of the end") {
  const TinyHttp server(old_server);
  auto client = client_of(server);
  REQUIRE(client->open({}).empty());
  CHECK(client->era() == McpEra::legacy);
  CHECK(first_text(client->request("tools/call", {{"name", "echo"}})) == "streamed");
  client.reset();
  const auto asked = server.asked();
  REQUIRE(asked.size() == 5);
  CHECK(asked[0].has("mcp-method: server/discover"));
  CHECK_FALSE(asked[1].has("mcp-method"));
  CHECK(asked[3].has("mcp-session-id: s-1"));
  CHECK(asked[3].has("mcp-protocol-version: 2025-11-25"));
  CHECK(asked[3].has("authorization: bearer t"));
  CHECK(asked[4].method == "DELETE");
}

TEST_CASE("mcp http: a stream that is cut is taken up again, and the call is not repeated") {
  const TinyHttp server(old_server);
  auto client = client_of(server);
  REQUIRE(client->open({}).empty());
  CHECK(first_text(client->request("tools/call", {{"name", "cut"}})) == "resumed");
  const auto asked = server.asked();
  CHECK(asked.back().method == "GET");
  CHECK(asked.back().has("last-event-id: e1"));
  CHECK(std::count_if(asked.begin(), asked.end(),
                      [](const HttpAsked& a) { return a.body.find("tools/call") != a.body.npos; }) == 1);
}

TEST_CASE("mcp http: a server of the new era has no session, and headers name the call") {
  const TinyHttp server([](const HttpAsked& asked) {
    const json message = json::parse(asked.body);
    if (message["method"] == "server/discover")
      return answer_json(message["id"],
                         {{"supportedVersions", {"2026-07-28"}}, {"capabilities", json::object()}});
    return answer_json(message["id"], text_result("new"));
  });
  auto client = client_of(server);
  REQUIRE(client->open({}).empty());
  CHECK(client->era() == McpEra::modern);
  CHECK(first_text(client->request("tools/call", {{"name", "gr\xc3\xbc\xc3\x9f"}})) == "new");
  client.reset();
  const auto asked = server.asked();
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].has("mcp-protocol-version: 2026-07-28"));
  CHECK(asked[1].has("mcp-name: =?base64?"));
}

TEST_CASE("mcp http: what goes wrong is said") {
  const TinyHttp closed([](const HttpAsked&) { return answer(401, "text/plain", "no"); });
  CHECK(client_of(closed)->open({}).find("it needs a sign-in: /mcp login") != std::string::npos);
  const TinyHttp broken([](const HttpAsked&) { return answer(500, "text/html", "<h1>oops</h1>"); });
  CHECK(client_of(broken)->open({}) == "HTTP 500");
  const TinyHttp silent([](const HttpAsked&) { return answer(200, "text/event-stream", ""); });
  CHECK(client_of(silent)->open({}) == "the server ended its answer without a result");
}

TEST_CASE("mcp http: a server of the old era is heard unasked, after the last event and the pause it wants") {
  std::atomic<int> gets = 0;
  const TinyHttp server([&](const HttpAsked& asked) {
    if (asked.method != "GET") return old_server(asked);
    if (++gets > 2) return answer(405, "text/plain", "");
    return answer(
        200, "text/event-stream",
        "id: n" + std::to_string(gets) +
            "\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
  });
  std::atomic<int> changes = 0;
  McpClientSettings settings{.version = "1.0"};
  settings.on_changed = [&](McpTopic) { ++changes; };
  McpClient client(std::make_unique<HttpLink>(server.url(), NamedTexts{}, std::chrono::seconds(10)),
                   settings);
  REQUIRE(client.open({}).empty());
  client.listen();
  REQUIRE(test::comes_true([&] { return gets == 3; }));
  CHECK(changes == 2);
  std::vector<HttpAsked> asked = server.asked();
  std::erase_if(asked, [](const HttpAsked& each) { return each.method != "GET"; });
  CHECK_FALSE(asked.at(0).has("last-event-id"));
  CHECK(asked.at(1).has("last-event-id: n1"));
  CHECK(asked.at(2).has("last-event-id: n2"));
}

TEST_CASE("mcp http: a server of the new era is asked to tell of changes, and a refusal is taken") {
  std::atomic<int> asks = 0;
  const TinyHttp server([&](const HttpAsked& asked) {
    const json message = json::parse(asked.body);
    if (message["method"] == "server/discover")
      return answer_json(message["id"], {{"supportedVersions", {"2026-07-28"}},
                                         {"capabilities", {{"tools", {{"listChanged", true}}}}}});
    if (++asks == 1)
      return answer(200, "text/event-stream",
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
    return answer(
        404, "application/json",
        json{{"jsonrpc", "2.0"}, {"id", message["id"]}, {"error", {{"code", -32601}, {"message", "no"}}}}
            .dump());
  });
  std::atomic<int> changes = 0;
  McpClientSettings settings{.version = "1.0"};
  settings.on_changed = [&](McpTopic) { ++changes; };
  McpClient client(std::make_unique<HttpLink>(server.url(), NamedTexts{}, std::chrono::seconds(10)),
                   settings);
  REQUIRE(client.open({}).empty());
  client.listen();
  REQUIRE(test::comes_true([&] { return asks == 2; }));
  CHECK(changes == 1);
  CHECK(server.asked().at(1).body.find("toolsListChanged") != std::string::npos);
}

TEST_CASE(
    "mcp http: a server of the old era is heard before the first call, so that what it asks on its stream is "
    "answered") {
  const TinyHttp server(old_server);
  McpClientSettings settings{.version = "1.0", .stream_timeout = std::chrono::seconds(60)};
  McpClient client(std::make_unique<HttpLink>(server.url(), NamedTexts{}, std::chrono::seconds(10)),
                   settings);
  REQUIRE(client.open({}).empty());
  client.listen();
  const auto asked = server.asked();
  CHECK(std::count_if(asked.begin(), asked.end(),
                      [](const HttpAsked& each) { return each.method == "GET"; }) >= 1);
}

TEST_CASE("the head of an answer is told before there is more") {
  std::atomic<bool> told = false, in_time = false;
  const TinyHttp server([](const HttpAsked&) { return answer(200, "text/event-stream", "data: x\n\n"); },
                        [&] { in_time = test::comes_true([&] { return told.load(); }); });
  HttpHandlers handlers;
  handlers.on_head = [&](const HttpHead& head) { told = head.status == 200; };
  http_stream({.method = "GET", .url = server.url()}, handlers, {});
  CHECK(in_time);
}

TEST_CASE("mcp http: an answer that is too large fails its call, of an error only the beginning is read") {
  const TinyHttp server([](const HttpAsked& asked) {
    const json message = json::parse(asked.body, nullptr, false);
    const std::string what =
        message.is_object() && message.contains("params") ? message["params"].value("name", "") : "";
    const std::string large(9 << 20, 'x');
    if (what == "large") return answer_json(message["id"], text_result(large));
    if (what == "stream") return answer(200, "text/event-stream", "data: " + large + "\n\n");
    if (what == "error") return answer(500, "text/html", large);
    return old_server(asked);
  });
  auto client = client_of(server);
  REQUIRE(client->open({}).empty());
  for (const char* name : {"large", "stream"})
    CHECK(client->request("tools/call", {{"name", name}}).why == "the server's answer is larger than 8 MB");
  CHECK(first_text(client->request("tools/call", {{"name", "error"}})) == "HTTP 500");
  CHECK(first_text(client->request("tools/call", {{"name", "echo"}})) == "streamed");
}

TEST_CASE(
    "mcp http: a server of the old era is told that a call was cancelled, one of the new era sees its stream "
    "end") {
  for (const bool modern : {false, true}) {
    std::stop_source stop;
    const TinyHttp server([&](const HttpAsked& asked) {
      const json message = json::parse(asked.body, nullptr, false);
      if (message.is_object() && message["method"] == "tools/call") {
        stop.request_stop();
        return answer(200, "text/event-stream", "");
      }
      if (modern && message.is_object() && message["method"] == "server/discover")
        return answer_json(message["id"],
                           {{"supportedVersions", {"2026-07-28"}}, {"capabilities", json::object()}});
      return old_server(asked);
    });
    auto client = client_of(server);
    REQUIRE(client->open({}).empty());
    CHECK(client->request("tools/call", {{"name", "x"}}, {.stop = stop.get_token()}).failure ==
          McpFailure::cancelled);
    const json last = json::parse(server.asked().back().body);
    CHECK(last["method"] == (modern ? "tools/call" : "notifications/cancelled"));
    if (!modern) CHECK(last["params"]["requestId"] == 3);
  }
}

TEST_CASE("a sender that is faster than its reader waits for it") {
  const std::string body(48 << 20, 'x');
  const TinyHttp server([&](const HttpAsked&) { return answer(200, "text/plain", body); });
  std::size_t all = 0, largest = 0;
  HttpHandlers handlers;
  handlers.on_data = [&](std::string_view chunk) {
    if (all == 0)
      test::comes_true([] { return false; },
                       std::chrono::milliseconds(100));  // time enough for all of it to come
    all += chunk.size();
    largest = std::max(largest, chunk.size());
    return HttpNext::more;
  };
  CHECK(http_stream({.method = "GET", .url = server.url()}, handlers, {}).error == HttpError::none);
  CHECK(all == body.size());
  CHECK(largest <= 2u << 20);
}

namespace {

// Answers a request that says who it is from, with the token `wanted`.
std::string guarded_server(const HttpAsked& asked, const std::string& wanted) {
  return asked.has("authorization: bearer " + wanted) ? old_server(asked) : answer(401, "text/plain", "no");
}

McpServer helped_by(const std::string& command) {
  McpServer server;
  server.name = "web";
  server.url = "http://there";
  server.headers_helper = command;
  return server;
}

std::string opened_with(const TinyHttp& http, const std::string& command) {
  set_supervisor(places::supervisor());
  auto link = std::make_unique<HttpLink>(http.url(), NamedTexts{{"X-Kept", "yes"}, {"X-Env", "old"}},
                                         std::chrono::seconds(10));
  link->set_more_headers(headers_of_helper(helper_spec(helped_by(command), "/tmp", {"PATH=/usr/bin:/bin"})));
  McpClient client(std::move(link), McpClientSettings{.version = "1.0"});
  return client.open({});
}

}  // namespace

TEST_CASE("mcp http: a helper prints headers, which go over those of the entry and know the server") {
  const TinyHttp http([](const HttpAsked& asked) { return guarded_server(asked, "web-http://there"); });
  CHECK(opened_with(
            http, R"(printf '{"authorization":"Bearer %s-%s","x-env":"%s"}' "$CLAUDE_CODE_MCP_SERVER_NAME" )"
                  R"("$CLAUDE_CODE_MCP_SERVER_URL" "$CLAUDE_PROJECT_DIR")") == "");
  const auto asked = http.asked();
  REQUIRE_FALSE(asked.empty());
  for (const HttpAsked& one : asked) {
    CHECK(one.has("x-kept: yes"));
    CHECK(one.has("x-env: /tmp"));
    CHECK_FALSE(one.has("x-env: old"));
  }
}

TEST_CASE("mcp http: a helper that fails says how, and nothing is sent") {
  const TinyHttp http(old_server);
  CHECK(opened_with(http, "exit 3").find("headersHelper ended with exit status 3") != std::string::npos);
  CHECK(opened_with(http, "echo nothing").find("headersHelper printed no JSON object") != std::string::npos);
  CHECK(http.asked().empty());
}

TEST_CASE("mcp http: a helper is asked again after a refusal, once for each request") {
  int runs = 0;
  const TinyHttp http([](const HttpAsked& asked) { return guarded_server(asked, "2"); });
  auto link = std::make_unique<HttpLink>(http.url(), NamedTexts{}, std::chrono::seconds(10));
  link->set_more_headers([&runs](NamedTexts& headers, std::stop_token) {
    headers = {{"Authorization", "Bearer " + std::to_string(++runs)}};
    return std::string();
  });
  McpClient client(std::move(link), McpClientSettings{.version = "1.0"});
  CHECK(client.open({}) == "");
  CHECK(runs == 2);
}

TEST_CASE("mcp http: headers of a helper are texts of one line") {
  NamedTexts headers{{"A", "1"}};
  CHECK(take_headers(R"( {"a":"2","B":"3"} )", headers) == "");
  CHECK(headers == NamedTexts{{"B", "3"}, {"a", "2"}});
  for (const char* wrong : {"", "[]", R"({"a":1})", R"({"a":"b\r\nc: d"})", R"({"a\n":"b"})", R"({"":"b"})"})
    CHECK_FALSE(take_headers(wrong, headers).empty());
}
