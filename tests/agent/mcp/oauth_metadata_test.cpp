// What OAuth documents say, and what of it is not believed.
#include "agent/mcp/oauth_metadata.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace tern;
using nlohmann::json;

namespace {

json good_issuer() {
  return {{"issuer", "https://as.example.org"},
          {"authorization_endpoint", "https://as.example.org/authorize"},
          {"token_endpoint", "https://as.example.org/token"},
          {"code_challenge_methods_supported", {"plain", "S256"}}};
}

std::string judge_issuer(const json& root) {
  OAuthIssuer server;
  return read_issuer(root.dump(), "https://as.example.org", server);
}

std::string judge_resource(const std::string& resource, const std::string& url) {
  OAuthResource read;
  return read_resource(
      json{{"resource", resource}, {"authorization_servers", {"https://as.example.org"}}}.dump(), url, read);
}

}  // namespace

TEST_CASE("a challenge is read, quoted or not, and other words in it are not taken for it") {
  const auto read = read_challenge(
      R"(Bearer realm="x", resource_metadata="https://h/.well-known/x", error="insufficient_scope", scope="a b")");
  CHECK(read.resource_metadata == "https://h/.well-known/x");
  CHECK(read.scope == "a b");
  CHECK(read.error == "insufficient_scope");
  CHECK(read_challenge("Bearer scope=read, error=invalid_token").scope == "read");
  CHECK(read_challenge("Bearer my_scope=\"no\"").scope.empty());
  CHECK(read_challenge("Bearer scope=\"open").scope == "open");
}

TEST_CASE("metadata is looked for at the path first, then at the root; of issuers also where OpenID has it") {
  using List = std::vector<std::string>;
  CHECK(resource_metadata_places("https://h:8443/a/mcp?x=1") ==
        List{"https://h:8443/.well-known/oauth-protected-resource/a/mcp",
             "https://h:8443/.well-known/oauth-protected-resource"});
  CHECK(issuer_metadata_places("https://h") == List{"https://h/.well-known/oauth-authorization-server",
                                                    "https://h/.well-known/openid-configuration"});
  CHECK(issuer_metadata_places("https://h/t1/") == List{"https://h/.well-known/oauth-authorization-server/t1",
                                                        "https://h/.well-known/openid-configuration/t1",
                                                        "https://h/t1/.well-known/openid-configuration"});
}

TEST_CASE("a resource must be the server or what its path begins with") {
  CHECK(judge_resource("https://h/a/mcp", "https://h/a/mcp").empty());
  CHECK(judge_resource("https://h/a", "https://h/a/mcp").empty());
  CHECK(judge_resource("https://h", "https://h/a/mcp").empty());
  CHECK_FALSE(judge_resource("https://h/a/m", "https://h/a/mcp").empty());
  CHECK_FALSE(judge_resource("https://h/a/mcp/more", "https://h/a/mcp").empty());
  CHECK_FALSE(judge_resource("https://other/a/mcp", "https://h/a/mcp").empty());
  CHECK_FALSE(judge_resource("http://h/a/mcp", "https://h/a/mcp").empty());
  OAuthResource read;
  CHECK_FALSE(read_resource("[]", "https://h", read).empty());
  CHECK_FALSE(read_resource(R"({"resource":"https://h"})", "https://h", read).empty());
}

TEST_CASE("an issuer must be the one that was asked for, encrypted, with PKCE") {
  CHECK(judge_issuer(good_issuer()).empty());
  json other = good_issuer();
  other["issuer"] = "https://as.example.org/";
  CHECK(judge_issuer(other).find("another issuer") != std::string::npos);
  json plain = good_issuer();
  plain["token_endpoint"] = "http://as.example.org/token";
  CHECK_FALSE(judge_issuer(plain).empty());
  json local = good_issuer();
  local["registration_endpoint"] = "file:///etc/passwd";
  CHECK_FALSE(judge_issuer(local).empty());
  json weak = good_issuer();
  weak["code_challenge_methods_supported"] = {"plain"};
  CHECK(judge_issuer(weak).find("PKCE") != std::string::npos);
  json half = good_issuer();
  half.erase("token_endpoint");
  CHECK_FALSE(judge_issuer(half).empty());
  OAuthIssuer server;
  CHECK_FALSE(read_issuer(std::string(100'000, '['), "https://as.example.org", server).empty());
}

TEST_CASE("what goes into forms comes out of addresses, and the challenge is that of the standard") {
  const std::string url =
      "http://127.0.0.1:1/callback?" + form_encoded({{"code", "a&b=c d"}, {"state", "é"}}) + "#code=no";
  CHECK(query_value(url, "code") == "a&b=c d");
  CHECK(query_value(url, "state") == "é");
  bool found = true;
  CHECK(query_value(url, "iss", &found).empty());
  CHECK_FALSE(found);
  CHECK(pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ==
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  CHECK(joined_scopes("a b", "b c a") == "a b c");
}
