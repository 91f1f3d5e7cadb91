// The tokens of MCP servers, in one file of the user's own state directory (0600). What an issuer gave is
// kept under that issuer and sent to no other. Several terns share it: whoever changes it holds a lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace tern {

struct OAuthTokens {
  std::string resource, issuer, token_endpoint;
  std::string client_id, client_secret, token_method;  // as which it was got
  std::string access, refresh, scope;
  std::int64_t expires = 0;  // seconds since 1970; 0: not said
};

class OAuthStore {
 public:
  explicit OAuthStore(std::filesystem::path file) : file_(std::move(file)) {}

  OAuthTokens load(const std::string& server_url) const;  // without `access`: none
  // Holds the lock while `change` looks at what is there now and changes it; an empty `access` takes the
  // entry out, but for what it wants to ask for the next time (`scope`). Empty, or why it was not kept.
  std::string change(const std::string& server_url, const std::function<void(OAuthTokens&)>& change,
                     std::stop_token stop);

 private:
  std::string save(const std::string& server_url, const OAuthTokens& tokens) const;
  std::filesystem::path file_;
};

// $XDG_STATE_HOME/tern/mcp-tokens.json or below ~/.local/state; empty without a home: nothing is kept then.
std::filesystem::path default_tokens_file();

}  // namespace tern
