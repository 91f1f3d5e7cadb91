// Signing in to a server on loopback, with an authorization server that is good, or hostile.
#include "agent/mcp/sign_in.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <thread>

#include "agent/mcp/client.h"
#include "agent/mcp/http_link.h"
#include "agent/mcp/loopback_redirect.h"
#include "agent/mcp/oauth_keeper.h"
#include "agent/models/http.h"
#include "tests/support/fake_issuer.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using nlohmann::json;
using test::FakeIssuer;

namespace {

struct Signing {
  test::TempDir folder;
  std::filesystem::path file = folder.path() / "tokens.json";
  FakeIssuer issuer;
  std::string shown, seen_by_browser;

  explicit Signing(FakeIssuer::Ways ways = {}) : issuer(std::move(ways)) {}

  // A browser in which the person agrees at once.
  std::string run() { return run(issuer.server()); }
  std::string run(const McpServer& server) {
    SignIn way(server, file);
    std::stop_source stop;
    std::jthread browser;
    return way.run(
        [&](const std::string& url) {
          shown = url;
          browser = std::jthread([this, url, &stop] {
            seen_by_browser = http_get(issuer.agree(url), {}, std::chrono::seconds(10)).body;
            if (seen_by_browser.find("another sign-in") != std::string::npos) stop.request_stop();
          });
        },
        stop.get_token());
  }
  OAuthTokens tokens() const { return OAuthStore(file).load(issuer.server().url); }
  std::shared_ptr<OAuthKeeper> keeper() const { return std::make_shared<OAuthKeeper>(issuer.server(), file); }
  std::unique_ptr<McpClient> client() const {
    return std::make_unique<McpClient>(
        std::make_unique<HttpLink>(issuer.server().url, NamedTexts{}, std::chrono::seconds(10), keeper()),
        McpClientSettings{.version = "1.0"});
  }
};

}  // namespace

TEST_CASE(
    "signing in finds the issuer, registers, proves itself and keeps the token where only its owner reads "
    "it") {
  Signing signing;
  REQUIRE(signing.run() == "");
  CHECK(signing.tokens().access == "t-1");
  CHECK(signing.tokens().issuer == signing.issuer.base());
  CHECK(signing.seen_by_browser.find("You can close this window") != std::string::npos);
  CHECK(query_value(signing.shown, "resource") == signing.issuer.server().url);
  CHECK(query_value(signing.shown, "code_challenge_method") == "S256");
  CHECK(signing.shown.find("scope=") == std::string::npos);
  CHECK(signing.issuer.count("/token", "resource=http") == 1);
  std::string verifier;
  for (const auto& each : signing.issuer.asked())
    if (each.path == "/token") verifier = query_value("?" + each.body, "code_verifier");
  CHECK(pkce_challenge(verifier) == query_value(signing.shown, "code_challenge"));
  struct stat info {};
  REQUIRE(::stat(signing.file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const auto client = signing.client();
  CHECK(client->open({}) == "");
  CHECK(client->request("tools/call", {{"name", "echo"}}).failure == McpFailure::none);
}

TEST_CASE("servers that keep their metadata at the root, or have none, are signed in to as well") {
  Signing root({.at_root = true});
  CHECK(root.run() == "");
  CHECK(query_value(root.shown, "resource") == root.issuer.base());
  Signing old({.metadata = false});
  CHECK(old.run() == "");
  CHECK(old.tokens().access == "t-1");
  CHECK(query_value(old.shown, "resource").empty());
}

TEST_CASE(
    "a client that the entry names is not registered; without any way to be one it is said what to do") {
  Signing named({.registers = false});
  McpServer server = named.issuer.server();
  server.oauth.client_id = "mine";
  server.oauth.scopes = "read write";
  CHECK(named.run(server) == "");
  CHECK(query_value(named.shown, "client_id") == "mine");
  CHECK(query_value(named.shown, "scope") == "read write");
  Signing nobody({.registers = false});
  CHECK(nobody.run().find("\"clientId\"") != std::string::npos);
}

TEST_CASE(
    "a client is named by the address of its own document where the server takes one, else it is "
    "registered") {
  for (const bool takes : {true, false}) {
    Signing at({.takes_addresses = takes});
    McpServer server = at.issuer.server();
    server.oauth.metadata_url = "https://tern.example/client.json";
    CHECK(at.run(server) == "");
    CHECK(query_value(at.shown, "client_id") == (takes ? "https://tern.example/client.json" : "client-1"));
    CHECK(at.issuer.count("/register") == (takes ? 0 : 1));
  }
}

TEST_CASE("hostile authorization servers get no code and no token") {
  Signing wrong({.issuer_says = "https://evil.example.org"});
  CHECK(wrong.run().find("another issuer") != std::string::npos);
  CHECK(wrong.shown.empty());
  Signing mixed({.redirect_says_iss = "https://evil.example.org"});
  CHECK(mixed.run().find("another issuer") != std::string::npos);
  CHECK(mixed.issuer.count("/token") == 0);
  Signing plain({.token_endpoint = "http://evil.example.org/token"});
  CHECK_FALSE(plain.run().empty());
  CHECK(plain.shown.empty());
  Signing redirected({.redirects = true});
  CHECK_FALSE(redirected.run().empty());
  CHECK(redirected.issuer.count("/elsewhere") == 0);
  Signing endless({.endless = true});
  CHECK(endless.run().find("does not end") != std::string::npos);
  for (const Signing* each : {&wrong, &mixed, &plain, &redirected, &endless})
    CHECK(each->tokens().access.empty());
}

TEST_CASE("an answer with another state ends nothing, and a pasted address is judged the same") {
  Signing other({.other_state = "not-ours"});
  CHECK(other.run() == "it was cancelled");  // by the browser of the test, which was told so
  CHECK(other.issuer.count("/token") == 0);
  Signing pasted;
  SignIn way(pasted.issuer.server(), pasted.file);
  CHECK(way.run(
            [&](const std::string& url) {
              CHECK_FALSE(way.give("http://127.0.0.1:1/callback?code=c&state=wrong"));
              CHECK(way.give(pasted.issuer.agree(url)));
            },
            {}) == "");
  CHECK(pasted.tokens().access == "t-1");
}

TEST_CASE("what comes to the redirect's socket and is none is answered and not waited for") {
  LoopbackRedirect redirect(0);
  REQUIRE(redirect.why().empty());
  int stranger = 0, answer = 0;
  std::optional<std::string> url;
  {
    std::jthread visitor([&] {
      const auto site = redirect.address().substr(0, redirect.address().find("/callback"));
      const auto get = [](const std::string& at) {
        return http_get(at, {}, std::chrono::seconds(5)).result.head.status;
      };
      stranger = get(site + "/favicon.ico");
      get(redirect.address() + "?state=s&code=" + std::string(30'000, 'x'));
      answer = get(redirect.address() + "?state=s");
    });
    url = redirect.wait([](const std::string& each) { return each.ends_with("?state=s"); }, {});
  }
  CHECK(stranger == 404);
  CHECK(answer == 200);
  REQUIRE(url);
}

TEST_CASE("an expired token is renewed once and the call goes on; by two terns at once only one renews") {
  Signing signing;
  REQUIRE(signing.run() == "");
  const auto client = signing.client();
  REQUIRE(client->open({}) == "");
  signing.issuer.expire();
  CHECK(client->request("tools/call", {{"name", "echo"}}).failure == McpFailure::none);
  CHECK(signing.tokens().access == "t-2");
  signing.issuer.expire();
  const int before = signing.issuer.count("/token", "grant_type=refresh_token");
  bool one = false, two = false;
  {
    std::jthread first([&] { one = signing.keeper()->refused(401, "", "t-2", {}); });
    std::jthread second([&] { two = signing.keeper()->refused(401, "", "t-2", {}); });
  }
  CHECK(one);
  CHECK(two);
  CHECK(signing.issuer.count("/token", "grant_type=refresh_token") == before + 1);
}

TEST_CASE("a token that cannot be renewed is given up after one try, and the person is told what to do") {
  Signing signing({.refreshes = false});
  REQUIRE(signing.run() == "");
  signing.issuer.expire();
  const auto client = signing.client();
  CHECK(client->open({}).find("it needs a sign-in: /mcp login NAME") != std::string::npos);
  CHECK(client->wants_sign_in());
  CHECK(signing.tokens().access.empty());
  CHECK(signing.issuer.count("/token", "grant_type=refresh_token") == 1);
}

TEST_CASE("a call that wants more than the token covers is kept for the next sign-in") {
  Signing signing({.wants_scope = "write"});
  REQUIRE(signing.run() == "");
  const auto client = signing.client();
  REQUIRE(client->open({}) == "");
  CHECK(client->request("tools/call", {{"name", "echo"}}).why.find("does not cover this") !=
        std::string::npos);
  CHECK(signing.tokens().access == "t-1");
  REQUIRE(signing.run() == "");
  CHECK(query_value(signing.shown, "scope") == "write");
}

TEST_CASE("tokens are kept by issuer, and a file that others could have written is not believed") {
  const test::TempDir folder;
  OAuthStore store(folder.path() / "t.json");
  const auto put = [&](const std::string& url, const std::string& issuer, const std::string& access) {
    return store.change(url,
                        [&](OAuthTokens& tokens) {
                          tokens = {};
                          tokens.issuer = issuer, tokens.access = access;
                        },
                        {});
  };
  CHECK(put("https://a/mcp", "https://one", "1") == "");
  CHECK(put("https://b/mcp", "https://one", "2") == "");
  CHECK(put("https://a/mcp", "https://two", "3") ==
        "");  // the issuer has changed: what the other one gave is gone
  std::ifstream in(folder.path() / "t.json");
  const json root = json::parse(in);
  CHECK(root["issuers"]["https://one"].size() == 1);
  CHECK(store.load("https://a/mcp").access == "3");
  CHECK(put("https://a/mcp", "", "") == "");
  CHECK(store.load("https://a/mcp").access.empty());
  CHECK(store.load("https://b/mcp").access == "2");
  ::chmod((folder.path() / "t.json").c_str(), 0666);
  CHECK(store.load("https://b/mcp").access.empty());
}
