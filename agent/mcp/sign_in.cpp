#include "agent/mcp/sign_in.h"

#include <sys/random.h>

#include <chrono>

#include "agent/mcp/loopback_redirect.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

std::string random_text() {
  char bytes[32];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return {};
  return base64_url({bytes, sizeof bytes});
}

std::string with_query(const std::string& url,
                       const std::vector<std::pair<std::string, std::string>>& pairs) {
  return url + (url.find('?') == url.npos ? "?" : "&") + form_encoded(pairs);
}

// Only the server that was asked may answer; without that a code for one could be handed to another.
std::string judge(const std::string& url, const OAuthIssuer& issuer) {
  bool named = false;
  const std::string iss = query_value(url, "iss", &named);
  if (named && iss != issuer.issuer) return "the answer comes from another issuer, \"" + iss + "\"";
  if (!named && issuer.names_itself)
    return "the answer doesn't name its issuer, although this issuer promises to";
  if (const std::string error = query_value(url, "error"); !error.empty()) {
    const std::string more = query_value(url, "error_description");
    return "it was refused: " + clipped(error + (more.empty() ? "" : ": " + more), 200);
  }
  return query_value(url, "code").empty() ? "the answer holds no code" : "";
}

}  // namespace

struct SignIn::State {
  McpServer server;
  OAuthStore store;
  LoopbackRedirect redirect;
  std::string state = random_text();

  State(McpServer entry, std::filesystem::path tokens)
      : server(std::move(entry)), store(std::move(tokens)), redirect(server.oauth.port) {}
  bool fits(const std::string& url) const { return !state.empty() && query_value(url, "state") == state; }
};

SignIn::SignIn(McpServer server, std::filesystem::path tokens)
    : state_(std::make_unique<State>(std::move(server), std::move(tokens))) {}
SignIn::~SignIn() = default;

bool SignIn::give(const std::string& redirected) {
  const bool good = state_->fits(redirected);
  if (good) state_->redirect.give(redirected);
  return good;
}

std::string SignIn::run(const std::function<void(const std::string& url)>& show, std::stop_token stop) {
  State& s = *state_;
  if (!s.redirect.why().empty()) return s.redirect.why();
  const OAuthClient client(s.server);
  OAuthChallenge challenge;
  OAuthFound found;
  OAuthTokens tokens;
  std::string why = client.challenge(challenge, stop);
  if (why.empty()) why = client.discover(challenge, found, stop);
  if (!why.empty()) return why;
  // What a refused call has wanted joins what there was.
  if (const OAuthTokens before = s.store.load(s.server.url);
      before.issuer.empty() || before.issuer == found.issuer.issuer)
    found.scope = joined_scopes(found.scope, before.scope);
  if (why = client.identify(found, s.redirect.address(), tokens, stop); !why.empty()) return why;
  const std::string verifier = random_text();
  if (verifier.empty() || s.state.empty()) return "the system gives no random numbers";
  std::vector<std::pair<std::string, std::string>> query{{"response_type", "code"},
                                                         {"client_id", tokens.client_id},
                                                         {"redirect_uri", s.redirect.address()},
                                                         {"state", s.state},
                                                         {"code_challenge", pkce_challenge(verifier)},
                                                         {"code_challenge_method", "S256"}};
  if (!tokens.resource.empty()) query.emplace_back("resource", tokens.resource);
  if (!found.scope.empty()) query.emplace_back("scope", found.scope);
  if (joined_scopes(found.scope, "offline_access") == found.scope) query.emplace_back("prompt", "consent");
  show(with_query(found.issuer.authorization_endpoint, query));
  const auto url = s.redirect.wait([&s](const std::string& each) { return s.fits(each); }, stop);
  if (!url) return "it was cancelled";
  if (why = judge(*url, found.issuer); !why.empty()) return why;
  why = client.exchange(tokens, query_value(*url, "code"), verifier, s.redirect.address(), stop);
  if (!why.empty()) return "the code was not taken: " + why;
  return s.store.change(
      s.server.url, [&](OAuthTokens& kept) { kept = tokens; }, stop);
}

}  // namespace tern
