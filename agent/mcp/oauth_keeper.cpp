#include "agent/mcp/oauth_keeper.h"

#include <chrono>

namespace tern {

namespace {

constexpr std::int64_t kMargin = 30;  // seconds before its end a token is renewed

bool is_over(const OAuthTokens& tokens) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  return tokens.expires > 0 && tokens.expires - kMargin < now;
}

}  // namespace

std::string OAuthKeeper::token(std::stop_token stop) {
  OAuthTokens tokens = store_.load(url_);
  if (tokens.access.empty() || !is_over(tokens) || tokens.refresh.empty()) return tokens.access;
  renew(tokens.access, stop);
  return store_.load(url_).access;
}

// Under the lock: another tern may have renewed it a moment ago, and a refresh token is good once.
bool OAuthKeeper::renew(const std::string& sent, std::stop_token stop) {
  bool fresh = false;
  const auto change = [&](OAuthTokens& tokens) {
    if (tokens.access != sent) return void(fresh = !tokens.access.empty());
    OAuthTokens renewed = tokens;
    fresh = client_.refresh(renewed, stop).empty();
    if (fresh)
      tokens = renewed;
    else if (!stop.stop_requested())
      tokens.access.clear();  // so that nobody tries it again
  };
  return store_.change(url_, change, stop).empty() && fresh;
}

bool OAuthKeeper::refused(int status, std::string_view header, const std::string& sent,
                          std::stop_token stop) {
  const OAuthChallenge challenge = read_challenge(header);
  if (status == 401 && !sent.empty()) return renew(sent, stop);
  if (status == 401) return wish(challenge.scope, stop), false;
  if (status != 403 || challenge.error != "insufficient_scope" || challenge.scope.empty()) return false;
  wish(challenge.scope, stop);
  return false;
}

// For the next sign-in.
void OAuthKeeper::wish(const std::string& scope, std::stop_token stop) {
  const auto with = [&](const OAuthTokens& tokens) { return joined_scopes(tokens.scope, scope); };
  const OAuthTokens now = store_.load(url_);
  if (with(now) != now.scope)
    store_.change(
        url_, [&](OAuthTokens& tokens) { tokens.scope = with(tokens); }, stop);
}

}  // namespace tern
