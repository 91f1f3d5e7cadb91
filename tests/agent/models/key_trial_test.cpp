#include "agent/models/key_trial.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"
#include "tests/support/wires.h"

using namespace tern;

TEST_CASE("the form of a key tells whose it is") {
  using Names = std::vector<std::string_view>;
  CHECK(providers_of_key("sk-ant-api03-abc") == Names{"anthropic"});
  CHECK(providers_of_key("sk-or-v1-abc") == Names{"openrouter"});
  CHECK(providers_of_key("sk-proj-abc") == Names{"openai"});
  CHECK(providers_of_key("AIzaSyAbc") == Names{"gemini"});
  CHECK(providers_of_key("sk-0123456789abcdef0123456789abcdef") == Names{"deepseek", "openai"});
  CHECK(providers_of_key("sk-T3stKeyOfTheOldForm") == Names{"openai", "deepseek"});
  CHECK(providers_of_key("hello").empty());
}

TEST_CASE("every provider that wants a key can be given one, once for each key") {
  const auto names = keyed_providers();
  const auto count = [&](std::string_view name) { return std::count(names.begin(), names.end(), name); };
  for (const char* name : {"anthropic", "openai", "gemini", "openrouter", "deepseek"})
    CHECK(count(name) == 1);
  CHECK(count("responses") == 0);  // takes the key of openai
  CHECK(count("ollama") == 0);
  CHECK(count("demo") == 0);
}

TEST_CASE("a key is tried with one request, and a refused one says where it came from") {
  const auto* kind = find_provider("anthropic");
  REQUIRE(kind);
  test::FakeLlm good(R"({"replies":[{"text":"ok"}]})");
  const auto works = try_key(*kind, {.base_url = good.url(), .key = "sk-ant-good"}, "claude-x", {});
  CHECK(works.works);
  CHECK(good.requests().size() == 1);
  test::FakeLlm bad(
      R"({"default": {"fault": {"kind": "status", "status": 401, "message": "invalid x-api-key"}}})");
  const auto refused = try_key(
      *kind, {.base_url = bad.url(), .key = "sk-ant-bad", .key_from = "ANTHROPIC_API_KEY"}, "claude-x", {});
  CHECK_FALSE(refused.works);
  CHECK(refused.refused);
  CHECK(refused.why.ends_with("— check the key in ANTHROPIC_API_KEY"));
}

TEST_CASE("a refusal of any service says where its key came from, or where one would go") {
  for (const test::Wire& wire : test::wires()) {
    INFO(wire.name);
    test::FakeLlm server(
        R"({"default": {"fault": {"kind": "status", "status": 401, "message": "Incorrect API key provided"}}})");
    const auto refused = [&](ProviderConfig config) {
      config.base_url = server.url() + wire.path;
      const auto ran = test::run(*make_provider(wire.provider, config), test::simple_request());
      REQUIRE(ran.failed);
      return ran.failed->message;
    };
    const std::string variable = wire.key;
    CHECK(refused({.key = "test-key-0123456789", .key_from = variable})
              .ends_with("— check the key in " + variable));
    CHECK(refused({}).ends_with("— no key was sent: set " + variable));
  }
}
