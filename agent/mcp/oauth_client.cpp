#include "agent/mcp/oauth_client.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "agent/models/http.h"
#include "agent/models/public_address.h"
#include "agent/models/url.h"
#include "agent/models/wire.h"
#include "compression/text/lines.h"
#include "tools/set/args.h"

namespace tern {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kLargestAnswer = 256u << 10, kLongestReason = 200;
constexpr milliseconds kPatience{20'000}, kWhole{60'000};

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

json object_of(const std::string& text) {
  json root = nests_too_deep(text) ? json() : json::parse(text, nullptr, false);
  return root.is_object() ? root : json::object();
}

// A refusal in the server's words.
std::string said_by(const json& answer, int status) {
  std::string text = member_text(answer, "error");
  if (const std::string more = member_text(answer, "error_description"); !more.empty())
    text += (text.empty() ? "" : ": ") + more;
  return text.empty() ? "HTTP " + std::to_string(status) : clipped(text, kLongestReason);
}

bool has(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// How the client proves itself at the token endpoint.
std::string token_method(const OAuthIssuer& issuer, const std::string& secret) {
  if (secret.empty()) return "none";
  if (has(issuer.token_methods, "client_secret_basic") || issuer.token_methods.empty())
    return "client_secret_basic";
  return has(issuer.token_methods, "client_secret_post") ? "client_secret_post" : "none";
}

}  // namespace

OAuthClient::OAuthClient(const McpServer& server)
    : server_(server), public_only_(!is_private_name(parse_url(server.url).host)) {}

OAuthClient::Reply OAuthClient::send(const char* method, const std::string& url, Pairs headers,
                                     const std::string& body, std::stop_token stop) const {
  Reply reply;
  if (reply.why = refusal(url); !reply.why.empty()) return reply;
  if (public_only_ && is_private_name(parse_url(url).host)) {
    reply.why = "a server of the internet must not lead to this machine or its network";
    return reply;
  }
  HttpRequest request;
  request.method = method;
  request.url = url;
  request.headers = std::move(headers);
  request.headers.emplace_back("Accept", "application/json");
  if (public_only_) request.may_reach = is_public;
  request.timeouts = {.connect = milliseconds(10'000), .first_byte = kPatience, .idle = kPatience};
  if (!body.empty()) request.body = std::make_shared<const std::string>(body);
  const auto deadline = std::chrono::steady_clock::now() + kWhole;
  bool too_much = false;
  HttpHandlers handlers;
  handlers.on_data = [&](std::string_view chunk) {
    reply.body += chunk;
    too_much = reply.body.size() > kLargestAnswer || std::chrono::steady_clock::now() > deadline;
    return too_much ? HttpNext::stop : HttpNext::more;
  };
  const HttpResult result = http_stream(request, handlers, stop);
  reply.status = result.head.status;
  reply.challenge = std::string(result.head["www-authenticate"]);
  if (too_much)
    reply.why = "its answer does not end";
  else if (result.error != HttpError::none)
    reply.why = result.detail.empty() ? "no answer" : result.detail;
  return reply;
}

std::string OAuthClient::challenge(OAuthChallenge& challenge, std::stop_token stop) const {
  const std::string body = rpc_request(1, "initialize",
                                       {{"protocolVersion", "2025-11-25"},
                                        {"capabilities", json::object()},
                                        {"clientInfo", {{"name", "tern"}, {"version", "0"}}}});
  Pairs headers = server_.headers;
  headers.emplace_back("Content-Type", "application/json");
  const Reply reply = send("POST", server_.url, headers, body, stop);
  if (!reply.why.empty() && reply.status == 0) return server_.url + ": " + reply.why;
  if (reply.status == 401 || reply.status == 403) challenge = read_challenge(reply.challenge);
  return {};
}

std::string OAuthClient::find_issuer(const std::string& issuer, OAuthIssuer& server, bool& any,
                                     std::stop_token stop) const {
  std::string why;
  any = false;
  std::vector<std::string> places = issuer_metadata_places(issuer);
  if (!server_.oauth.issuer_metadata_url.empty()) places = {server_.oauth.issuer_metadata_url};
  for (const std::string& place : places) {
    const Reply reply = send("GET", place, {}, {}, stop);
    if (!reply.why.empty()) why = place + ": " + reply.why;
    if (!reply.why.empty() || reply.status != 200) continue;
    any = true;
    const std::string wrong = read_issuer(reply.body, issuer, server);
    return wrong.empty() ? wrong : place + ": " + wrong;
  }
  return why.empty() ? "there is no metadata of the authorization server " + issuer : why;
}

std::string OAuthClient::discover(const OAuthChallenge& challenge, OAuthFound& found,
                                  std::stop_token stop) const {
  std::vector<std::string> places = resource_metadata_places(server_.url);
  if (!challenge.resource_metadata.empty()) places = {challenge.resource_metadata};
  OAuthResource resource;
  for (const std::string& place : places) {
    const Reply reply = send("GET", place, {}, {}, stop);
    const bool good = reply.why.empty() && reply.status == 200;
    if (!good && !challenge.resource_metadata.empty())
      return place + ": " + (reply.why.empty() ? "HTTP " + std::to_string(reply.status) : reply.why);
    if (!good) continue;
    if (const std::string wrong = read_resource(reply.body, server_.url, resource); !wrong.empty())
      return place + ": " + wrong;
    break;
  }
  found.resource = resource.resource;
  if (resource.issuers
          .empty()) {  // from before there was such metadata: the server is its own authorization server
    bool any = false;
    std::string why = find_issuer(origin_of(server_.url), found.issuer, any, stop);
    if (any && !why.empty()) return why;
    if (!any) found.issuer = issuer_without_metadata(server_.url);
  } else {
    bool any = false;
    if (std::string why = find_issuer(resource.issuers.front(), found.issuer, any, stop); !why.empty())
      return why;
  }
  std::string listed;
  for (const std::string& each : resource.scopes) listed = joined_scopes(listed, each);
  found.scope = !server_.oauth.scopes.empty() ? server_.oauth.scopes
                : !challenge.scope.empty()    ? challenge.scope
                                              : listed;
  if (!found.scope.empty() && has(found.issuer.scopes, "offline_access"))
    found.scope = joined_scopes(found.scope, "offline_access");
  return {};
}

std::string OAuthClient::identify(const OAuthFound& found, const std::string& redirect, OAuthTokens& tokens,
                                  std::stop_token stop) const {
  tokens = {};
  tokens.resource = found.resource;
  tokens.issuer = found.issuer.issuer;
  tokens.token_endpoint = found.issuer.token_endpoint;
  tokens.scope = found.scope;
  tokens.client_id = server_.oauth.client_id;
  tokens.client_secret = server_.oauth.client_secret;
  if (tokens.client_id.empty() && found.issuer.takes_metadata_url)
    tokens.client_id = server_.oauth.metadata_url;
  if (tokens.client_id.empty() && found.issuer.registration_endpoint.empty())
    return "this server has no automatic registration. Register a client there and put \"oauth\": "
           "{\"clientId\": \"…\"} into the "
           "entry";
  if (tokens.client_id.empty()) {
    json client{{"client_name", "tern"},       {"application_type", "native"},
                {"redirect_uris", {redirect}}, {"grant_types", {"authorization_code", "refresh_token"}},
                {"response_types", {"code"}},  {"token_endpoint_auth_method", "none"}};
    const auto& methods = found.issuer.token_methods;
    if (!methods.empty() && !has(methods, "none"))
      client["token_endpoint_auth_method"] =
          has(methods, "client_secret_basic") ? "client_secret_basic" : "client_secret_post";
    if (!found.scope.empty()) client["scope"] = found.scope;
    const Reply reply = send("POST", found.issuer.registration_endpoint,
                             {{"Content-Type", "application/json"}}, one_line(client), stop);
    const json answer = object_of(reply.body);
    tokens.client_id = member_text(answer, "client_id");
    tokens.client_secret = member_text(answer, "client_secret");
    if (tokens.client_id.empty() || !reply.why.empty())
      return "the registration was refused: " +
             (reply.why.empty() ? said_by(answer, reply.status) : reply.why);
    tokens.token_method = member_text(answer, "token_endpoint_auth_method");
  }
  if (tokens.token_method.empty()) tokens.token_method = token_method(found.issuer, tokens.client_secret);
  return {};
}

std::string OAuthClient::grant(OAuthTokens& tokens, Pairs form, std::stop_token stop) const {
  if (!tokens.resource.empty()) form.emplace_back("resource", tokens.resource);
  Pairs headers{{"Content-Type", "application/x-www-form-urlencoded"}};
  if (tokens.token_method == "client_secret_basic" && !tokens.client_secret.empty()) {
    std::string proof = "Basic ";
    append_base64(proof, form_encoded({{"", tokens.client_id}}).substr(1) + ":" +
                             form_encoded({{"", tokens.client_secret}}).substr(1));
    headers.emplace_back("Authorization", proof);
  } else {
    form.emplace_back("client_id", tokens.client_id);
    if (tokens.token_method == "client_secret_post") form.emplace_back("client_secret", tokens.client_secret);
  }
  const Reply reply = send("POST", tokens.token_endpoint, headers, form_encoded(form), stop);
  const json answer = object_of(reply.body);
  if (!reply.why.empty()) return reply.why;
  if (reply.status != 200 || member_text(answer, "access_token").empty())
    return said_by(answer, reply.status);
  tokens.access = member_text(answer, "access_token");
  if (std::any_of(tokens.access.begin(), tokens.access.end(), [](char c) { return c <= ' ' || c > '~'; }))
    return tokens.access.clear(), "it sent no usable token";
  if (const std::string fresh = member_text(answer, "refresh_token"); !fresh.empty()) tokens.refresh = fresh;
  if (const std::string scope = member_text(answer, "scope"); !scope.empty()) tokens.scope = scope;
  const std::int64_t lasts = whole_number(answer.value("expires_in", json(0)), 0);
  tokens.expires = lasts > 0 ? now_seconds() + lasts : 0;
  return {};
}

std::string OAuthClient::exchange(OAuthTokens& tokens, const std::string& code, const std::string& verifier,
                                  const std::string& redirect, std::stop_token stop) const {
  return grant(tokens,
               {{"grant_type", "authorization_code"},
                {"code", code},
                {"code_verifier", verifier},
                {"redirect_uri", redirect}},
               stop);
}

std::string OAuthClient::refresh(OAuthTokens& tokens, std::stop_token stop) const {
  if (tokens.refresh.empty()) return "there is no refresh token";
  return grant(tokens, {{"grant_type", "refresh_token"}, {"refresh_token", tokens.refresh}}, stop);
}

}  // namespace tern
