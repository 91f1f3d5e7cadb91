#include "agent/models/providers.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "agent/models/redact.h"
#include "agent/models/url.h"
#include "tests/support/fake_llm.h"

using namespace tern;

namespace {

Environment from(std::map<std::string, std::string> values) {
  return [values](const std::string& name) {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  };
}

}  // namespace

TEST_CASE("every row makes a provider, and names are unique") {
  std::set<std::string_view> names;
  for (const ProviderKind* kind : all_providers()) {
    INFO(kind->name);
    CHECK(names.insert(kind->name).second);
    CHECK(!kind->title.empty());
    CHECK(make_provider(kind->name, {}) != nullptr);
    CHECK((kind->base_url.empty() || refusal(kind->base_url).empty()));
    CHECK((kind->needs_key ? !kind->key_variables.empty() : true));
  }
  CHECK(make_provider("nobody", {}) == nullptr);
}

TEST_CASE("keys and addresses come from the environment") {
  const ProviderKind& anthropic = *find_provider("anthropic");
  ProviderConfig config =
      provider_config(anthropic, from({{"ANTHROPIC_AUTH_TOKEN", "token-0123456789"},
                                       {"ANTHROPIC_BASE_URL", "https://proxy.example/v1"}}));
  CHECK(config.key == "token-0123456789");
  CHECK(config.bearer);
  CHECK(config.base_url == "https://proxy.example/v1");
  config =
      provider_config(anthropic, from({{"ANTHROPIC_AUTH_TOKEN", "token"}, {"ANTHROPIC_API_KEY", "key"}}));
  CHECK(config.key == "key");
  CHECK(!config.bearer);
  CHECK(provider_config(*find_provider("ollama"), from({{"OLLAMA_HOST", "0.0.0.0"}})).base_url ==
        "http://127.0.0.1:11434");
  CHECK(provider_with_key(from({{"GEMINI_API_KEY", "k"}}))->name == "gemini");
  CHECK(provider_with_key(from({})) == nullptr);
  const auto own = from({{"OPENAI_BASE_URL", "http://127.0.0.1:8080"}});
  REQUIRE(provider_with_key(own));
  CHECK(provider_with_key(own)->name == "openai");
  CHECK_FALSE(lacks_key(*find_provider("openai"), provider_config(*find_provider("openai"), own)));
  CHECK(lacks_key(*find_provider("openai"), provider_config(*find_provider("openai"), from({}))));
}

TEST_CASE("a local server is asked for its models") {
  test::FakeLlm server;
  const auto served =
      served_models(*find_provider("ollama"), {.base_url = server.url(), .key = "", .headers = {}},
                    std::chrono::seconds(2));
  std::string told;
  for (const auto& model : served) told += model.name + " " + std::to_string(model.window) + "\n";
  CHECK(told == "fake-model 0\nfake-small 24000\nfake-cpp 20000\n");
  CHECK(served_models(*find_provider("ollama"), {.base_url = "http://127.0.0.1:1", .key = "", .headers = {}},
                      std::chrono::seconds(2))
            .empty());
}

TEST_CASE("addresses as people write them") {
  CHECK(endpoint_url("https://h", "/v1", "/messages") == "https://h/v1/messages");
  CHECK(endpoint_url("https://h/", "/v1", "/messages") == "https://h/v1/messages");
  CHECK(endpoint_url("https://h/v1/", "/v1", "/messages") == "https://h/v1/messages");
  CHECK(endpoint_url("https://h/v1/messages", "/v1", "/messages") == "https://h/v1/messages");
  CHECK(endpoint_url("https://h/api/paas/v4", "/v1", "/chat/completions") ==
        "https://h/api/paas/v4/chat/completions");
  CHECK(endpoint_url("https://h/v1beta/openai", "/v1", "/chat/completions") ==
        "https://h/v1beta/openai/chat/completions");
  CHECK(endpoint_url("https://h/vendor", "/v1", "/messages") == "https://h/vendor/v1/messages");
  CHECK(endpoint_url("http://127.0.0.1:11434/v1", "", "/api/chat") == "http://127.0.0.1:11434/api/chat");
  CHECK(host_url("localhost", 11434) == "http://localhost:11434");
  CHECK(host_url("https://h.example", 11434) == "https://h.example");
  const Url url = parse_url("https://user:pw@h.example:8443/a?b");
  CHECK(url.host == "h.example");
  CHECK(url.port == 8443);
  CHECK(parse_url("http://[::1]:80/").host == "::1");
}

TEST_CASE("plain http is spoken to this machine only") {
  for (const char* good :
       {"https://h", "http://localhost:1", "http://127.0.0.1", "http://127.8.9.1:5/x", "http://[::1]:80"})
    CHECK(refusal(good).empty());
  for (const char* bad :
       {"http://h", "http://127.0.0.1.evil.example", "http://localhost.evil.example", "ftp://h", "h",
        "http://user@evil.example", "http://127.0.0.1@evil.example", "file:///etc/passwd", ""}) {
    INFO(bad);
    CHECK(!refusal(bad).empty());
  }
}

TEST_CASE("secrets are replaced wherever they stand") {
  register_secret("s3cret-key/with+signs");
  CHECK(redact("a s3cret-key/with+signs b") == "a [secret] b");
  CHECK(redact("x=s3cret-key%2Fwith%2Bsigns") == "x=[secret]");
  CHECK(holds_secret("..s3cret-key/with+signs"));
  register_secret("short");
  CHECK(redact("short") == "short");
  make_provider("anthropic",
                {.base_url = "https://h",
                 .key = "k",
                 .headers = {{"Authorization", "Bearer canary-of-header"}, {"X-Team", "research-group"}}});
  CHECK(redact("said canary-of-header to research-group") == "said [secret] to research-group");
  CHECK(redact_shapes("key sk-proj-abcdefghijklmnopqrstuv, AIzaSyA1234567890123456789012345678901, Bearer "
                      "abcdefghijklmnopqrst") == "key [secret], [secret], Bearer [secret]");
  CHECK(redact_shapes("task-list disk-usage risk-free") == "task-list disk-usage risk-free");
}
