// An MCP server that wants a token, and its authorization server, both on loopback; each way to be hostile is
// a switch.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/mcp/oauth_metadata.h"
#include "agent/mcp/server_entry.h"
#include "tests/support/tiny_http.h"

namespace tern::test {

class FakeIssuer {
 public:
  struct Ways {
    std::string issuer_says;        // instead of its own name
    std::string token_endpoint;     // instead of its own
    std::string redirect_says_iss;  // instead of its own name
    std::string other_state;        // instead of ours
    bool redirects = false, endless = false, registers = true, refreshes = true, at_root = false,
         metadata = true, takes_addresses = false;
    std::string wants_scope;  // of calls of the tool
  };

  explicit FakeIssuer(Ways ways)
      : ways_(std::move(ways)), http_([this](const HttpAsked& asked) { return answer(asked); }) {}
  FakeIssuer() : FakeIssuer(Ways{}) {}

  std::string base() const { return http_.base(); }
  McpServer server() const {
    McpServer server;
    server.name = "a";
    server.transport = McpTransport::http;
    server.url = http_.url();
    return server;
  }
  // What a browser would be sent to after the person has agreed.
  std::string agree(const std::string& url) const {
    const std::string iss = ways_.redirect_says_iss.empty() ? base() : ways_.redirect_says_iss;
    const std::string state = ways_.other_state.empty() ? query_value(url, "state") : ways_.other_state;
    return query_value(url, "redirect_uri") + "?" +
           form_encoded({{"code", "c-1"}, {"state", state}, {"iss", iss}});
  }
  std::vector<HttpAsked> asked() const { return http_.asked(); }
  int count(const std::string& path, const std::string& part = {}) const {
    int n = 0;
    for (const HttpAsked& each : asked()) n += each.path == path && each.body.find(part) != std::string::npos;
    return n;
  }
  void expire() {
    const std::lock_guard lock(mutex_);
    ++good_;
  }

 private:
  static std::string reply(int status, const std::string& body, const std::string& more = {}) {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" + more +
           "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string good_token() const {
    const std::lock_guard lock(mutex_);
    return "t-" + std::to_string(good_);
  }

  std::string metadata() const {
    nlohmann::json all{
        {"issuer", ways_.issuer_says.empty() ? base() : ways_.issuer_says},
        {"authorization_endpoint", base() + "/authorize"},
        {"token_endpoint", ways_.token_endpoint.empty() ? base() + "/token" : ways_.token_endpoint},
        {"code_challenge_methods_supported", {"S256"}},
        {"authorization_response_iss_parameter_supported", true}};
    if (ways_.takes_addresses) all["client_id_metadata_document_supported"] = true;
    if (ways_.registers) all["registration_endpoint"] = base() + "/register";
    return all.dump();
  }

  std::string answer(const HttpAsked& asked) const {
    if (asked.path == "/mcp") return answer_call(asked);
    if (asked.path == "/.well-known/oauth-protected-resource/mcp" && !ways_.at_root && ways_.metadata) {
      if (ways_.redirects) return reply(302, "", "Location: " + base() + "/elsewhere\r\n");
      if (ways_.endless) return reply(200, std::string(400 << 10, ' '));
      return reply(200,
                   nlohmann::json{{"resource", http_.url()}, {"authorization_servers", {base()}}}.dump());
    }
    if (asked.path == "/.well-known/oauth-protected-resource" && ways_.at_root)
      return reply(200, nlohmann::json{{"resource", base()}, {"authorization_servers", {base()}}}.dump());
    if (asked.path == "/.well-known/oauth-authorization-server" && ways_.metadata)
      return reply(200, metadata());
    if (asked.path == "/register") return reply(201, R"({"client_id":"client-1"})");
    if (asked.path == "/token") return answer_token(asked);
    return reply(404, "{}");
  }

  std::string answer_token(const HttpAsked& asked) const {
    const bool refresh = asked.body.find("grant_type=refresh_token") != std::string::npos;
    if (refresh && !ways_.refreshes) return reply(400, R"({"error":"invalid_grant"})");
    return reply(
        200, nlohmann::json{{"access_token", good_token()}, {"refresh_token", "r-1"}, {"expires_in", 3600}}
                 .dump());
  }

  std::string answer_call(const HttpAsked& asked) const {
    const auto message = nlohmann::json::parse(asked.body, nullptr, false);
    if (asked.method == "DELETE") return reply(200, "");
    const bool names_metadata = ways_.metadata && !ways_.at_root;
    const std::string place =
        names_metadata ? " resource_metadata=\"" + base() + "/.well-known/oauth-protected-resource/mcp\""
                       : "";
    if (!asked.has("authorization: bearer " + good_token()))
      return reply(401, "{}", "WWW-Authenticate: Bearer" + place + "\r\n");
    const std::string method = message.value("method", "");
    if (method == "tools/call" && !ways_.wants_scope.empty())
      return reply(
          403, "{}",
          "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"" + ways_.wants_scope + "\"\r\n");
    if (!message.contains("id")) return reply(202, "");
    nlohmann::json result{{"resultType", "complete"}};
    if (method == "server/discover") {
      result["supportedVersions"] = {"2026-07-28"};
      result["capabilities"]["tools"] = nlohmann::json::object();
    }
    if (method == "tools/list") result["tools"] = nlohmann::json::array({{{"name", "echo"}}});
    if (method == "tools/call")
      result["content"] = nlohmann::json::array({{{"type", "text"}, {"text", "here"}}});
    return reply(200, nlohmann::json{{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", result}}.dump());
  }

  const Ways ways_;
  mutable std::mutex mutex_;
  int good_ = 1;
  TinyHttp http_;  // last: its thread uses the others
};

}  // namespace tern::test
