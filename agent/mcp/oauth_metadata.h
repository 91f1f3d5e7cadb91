// What OAuth documents say: the challenge of a server, where its metadata is found, what that says. Pure;
// whatever the texts are, reading them never throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct OAuthChallenge {  // of a WWW-Authenticate header; empty members where it says nothing
  std::string resource_metadata, scope, error;
};
OAuthChallenge read_challenge(std::string_view www_authenticate);

// Where the metadata of a protected resource and of an authorization server may be, in the order in which
// they are tried.
std::vector<std::string> resource_metadata_places(std::string_view server_url);
std::vector<std::string> issuer_metadata_places(std::string_view issuer);

struct OAuthResource {
  std::string resource;
  std::vector<std::string> issuers, scopes;
};
struct OAuthIssuer {
  std::string issuer, authorization_endpoint, token_endpoint, registration_endpoint;
  std::vector<std::string> scopes, token_methods;
  bool takes_metadata_url = false;  // a client may be named by the address of its own metadata
  bool names_itself = false;        // its answers carry "iss"
};
// Empty, or why it cannot be used. A resource must be the server's address or a part of the path that leads
// there.
std::string read_resource(std::string_view text, std::string_view server_url, OAuthResource& resource);
// The issuer must be, byte for byte, the one that was asked for.
std::string read_issuer(std::string_view text, std::string_view issuer, OAuthIssuer& server);
// Of servers from before there was metadata: the endpoints are at the root of the server's address.
OAuthIssuer issuer_without_metadata(std::string_view server_url);

std::string origin_of(std::string_view url);  // "https://host:port"
std::string form_encoded(const std::vector<std::pair<std::string, std::string>>& pairs);
// The value of a query's name in "…?a=b&c=d#…", decoded; `found` tells an empty one from none.
std::string query_value(std::string_view url, std::string_view name, bool* found = nullptr);
// Words of both, each once.
std::string joined_scopes(std::string_view a, std::string_view b);
std::string base64_url(std::string_view bytes);
std::string pkce_challenge(std::string_view verifier);  // S256

}  // namespace tern
