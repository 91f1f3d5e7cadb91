// The requests of an OAuth client: finds the authorization server, registers, gets and renews tokens. What
// servers say is read within limits of size and time; a server of the public internet cannot send us to an
// address of this machine or its network.
#pragma once

#include <stop_token>
#include <string>

#include "agent/mcp/oauth_metadata.h"
#include "agent/mcp/oauth_store.h"
#include "agent/mcp/server_entry.h"

namespace tern {

struct OAuthFound {
  OAuthIssuer issuer;
  std::string resource;  // what tokens are for; empty where the server knows no such thing
  std::string scope;     // to ask for; empty: none
};

class OAuthClient {
 public:
  explicit OAuthClient(const McpServer& server);

  // Each gives an empty text, or why not.
  std::string challenge(OAuthChallenge& challenge,
                        std::stop_token stop) const;  // what the server answers without a token
  std::string discover(const OAuthChallenge& challenge, OAuthFound& found, std::stop_token stop) const;
  // A client of the issuer: named in the entry, by the address of its metadata, or registered now.
  std::string identify(const OAuthFound& found, const std::string& redirect, OAuthTokens& tokens,
                       std::stop_token stop) const;
  std::string exchange(OAuthTokens& tokens, const std::string& code, const std::string& verifier,
                       const std::string& redirect, std::stop_token stop) const;
  std::string refresh(OAuthTokens& tokens, std::stop_token stop) const;

 private:
  struct Reply {
    int status = 0;
    std::string body, challenge, why;
  };
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  Reply send(const char* method, const std::string& url, Pairs headers, const std::string& body,
             std::stop_token stop) const;
  std::string find_issuer(const std::string& issuer, OAuthIssuer& server, bool& any,
                          std::stop_token stop) const;
  std::string grant(OAuthTokens& tokens, Pairs form, std::stop_token stop) const;

  McpServer server_;
  bool public_only_ = true;
};

}  // namespace tern
