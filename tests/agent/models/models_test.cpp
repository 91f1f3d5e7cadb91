#include "agent/models/models.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <tuple>

#include "agent/models/providers.h"

using namespace tern;

TEST_CASE("known models have windows, limits and prices") {
  const Models models;
  const ModelInfo sonnet = models.find("anthropic", "claude-sonnet-4-5-20250929");
  CHECK(sonnet.known);
  CHECK(sonnet.window == 200'000);
  CHECK(sonnet.small_model == "claude-haiku-4-5");
  CHECK(sonnet.dollars(
            {.input = 1'000'000, .output = 1'000'000, .cache_read = 1'000'000, .cache_write = 1'000'000}) ==
        3 + 15 + 0.30 + 3.75);
  CHECK(sonnet.reserve() == 20'000);
  CHECK(sonnet.reserve(32'000) == 4'000);
  CHECK(models.find("responses", "gpt-5-codex").window == 400'000);
  const ModelInfo newest = models.find("anthropic", "claude-sonnet-5-5");
  CHECK(newest.window == 1'000'000);
  CHECK(newest.optimum == 200'000);
  CHECK(newest.output == 10);
  CHECK(models.find("anthropic", "claude-opus-5-5-20260901").input == 4);
  CHECK(models.find("openai", "gpt-6.1-sol").window == 1'050'000);
  CHECK(models.find("openai", "gpt-5.6-sol").output == 20);
  CHECK(models.find("openai", "gpt-5.6-luna").output == 1.20);
  CHECK_FALSE(models.find("openai", "gpt-7").priced);
  CHECK(models.find("openai", "gpt-4o").optimum == 80'000);
  CHECK(models.find("openai", "gpt-4o-mini").input == 0.15);
  CHECK(models.find("gemini", "gemini-2.5-flash").small_model == "gemini-3.5-flash-lite");
  CHECK(models.find("demo", "long").window == 12'000);
}

TEST_CASE("every default, alias and small model is one the table knows by its own row") {
  const Models models;
  const auto priced = [&](const std::string& provider, const std::string& name) {
    const ModelInfo info = models.find(provider, name);
    INFO(provider << "/" << name);
    CHECK(info.known);
    CHECK(info.priced);
    CHECK(info.window >= 128'000);
    if (!info.small_model.empty()) CHECK(models.find(provider, info.small_model).input <= info.input);
  };
  for (const ProviderKind* kind : all_providers())
    if (!kind->local && kind->name != "demo" && !kind->default_model.empty())
      priced(std::string(kind->name), std::string(kind->default_model));
  for (const char* alias : {"sonnet", "opus", "haiku", "gpt", "gpt-mini", "codex", "flash", "gemini-pro"}) {
    const auto target = models.resolve(alias);
    REQUIRE(target);
    priced(target->provider, target->model);
  }
  for (const auto& [name, input, output] :
       {std::tuple{"gpt-6-astra", 10.0, 50.0}, std::tuple{"gpt-6.2-astra-2026-11-01", 8.0, 40.0},
        std::tuple{"gpt-6-luna", 0.10, 0.50}, std::tuple{"gpt-6.2-sol", 2.0, 10.0}}) {
    CHECK(models.find("openai", name).input == input);
    CHECK(models.find("openai", name).output == output);
  }
  CHECK(models.find("deepseek", "deepseek-flash").window == 1'000'000);
  CHECK(models.find("deepseek", "deepseek-v4-pro").small_model == "deepseek-flash");
  CHECK(models.find("anthropic", "claude-haiku-5-5").max_output == 128'000);
}

TEST_CASE("the list of models has no family, only models that a service serves") {
  const auto names = Models().names();
  const auto listed = [&](std::string_view name) { return std::count(names.begin(), names.end(), name) > 0; };
  CHECK_FALSE(listed("anthropic/claude"));
  CHECK_FALSE(listed("gemini/gemini"));
  CHECK(listed("anthropic/claude-sonnet-5-5"));
  CHECK(listed("openai/gpt-oss"));
  CHECK(listed("demo/long"));
}

TEST_CASE("a broker's name finds the vendor's figures, but not its small model") {
  const ModelInfo info = Models().find("openrouter", "anthropic/claude-sonnet-4.5");
  CHECK(info.known);
  CHECK(info.window == 200'000);
  CHECK(info.small_model.empty());
}

TEST_CASE("unknown and local models get safe values") {
  const Models models;
  const ModelInfo unknown = models.find("openai", "somebody-elses-model");
  CHECK(!unknown.known);
  CHECK(unknown.window == 32'768);
  CHECK(!unknown.priced);
  const ModelInfo local = models.find("ollama", "gpt-oss:20b");
  CHECK(local.window == 16'384);
  CHECK(local.dollars({.input = 1'000'000}) == 0);
  CHECK(local.priced);
}

TEST_CASE("names resolve: aliases, provider/model, bare, described") {
  Models models;
  CHECK(models.resolve("sonnet") == ModelName{"anthropic", "claude-sonnet-5-5"});
  CHECK(models.resolve("ollama/qwen3:8b") == ModelName{"ollama", "qwen3:8b"});
  CHECK(models.resolve("openrouter/anthropic/claude-sonnet-4.5") ==
        ModelName{"openrouter", "anthropic/claude-sonnet-4.5"});
  CHECK(models.resolve("claude-opus-4-1") == ModelName{"anthropic", "claude-opus-4-1"});
  CHECK(models.resolve("gemini") == ModelName{"gemini", "gemini-3.8-flash"});
  CHECK(models.resolve("demo") == ModelName{"demo", "demo"});
  CHECK(!models.resolve("nobody-knows"));
  CHECK(models.describe("openai/mine",
                        R"({"window": 65536, "input": 1.5, "alias": "m", "smallModel": "tiny"})") == "");
  CHECK(models.resolve("m") == ModelName{"openai", "mine"});
  CHECK(models.resolve("mine") == ModelName{"openai", "mine"});
  CHECK(models.find("openai", "mine").window == 65'536);
  CHECK(models.find("openai", "mine").small_model == "tiny");
}

TEST_CASE("a wrong description says what is wrong") {
  Models models;
  CHECK(models.describe("mine", "{}").find("provider/name") != std::string::npos);
  CHECK(models.describe("openai/mine", "[]").find("object") != std::string::npos);
  CHECK(models.describe("openai/mine", R"({"windw": 1})").find("windw") != std::string::npos);
  CHECK(models.describe("openai/mine", R"({"window": "big"})").find("number") != std::string::npos);
  CHECK(models.describe("openai/mine", R"({"window": 10})").find("2000") != std::string::npos);
}
