#include "app/headless/headless_json.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

UsageRow asked(const char* provider, const char* model, const char* purpose, Tokens input, double dollars) {
  UsageRow row;
  row.provider = provider, row.model = model, row.purpose = purpose;
  row.input = input, row.output = 10, row.cache_read = 3, row.cache_write = 2, row.dollars = dollars;
  return row;
}

}  // namespace

TEST_CASE("the result names each model with its own usage, and the parts sum to the totals") {
  test::TempDir dir;
  fs::create_directories(dir.path() / "project");
  SessionSetup setup;
  setup.cwd = dir.path() / "project";
  setup.home = dir.path();
  setup.model = "demo";
  setup.keep = false;
  setup.trusted = {dir.path()};
  setup.env = [](const std::string&) { return std::string(); };
  Mailbox<Command> commands;
  Session session(std::move(setup), commands, [](const Event&) {});
  REQUIRE(session.open());
  auto& store = session.store();
  store.add_usage(asked("anthropic", "claude-sonnet-4-5", "turn", 7'000, 0.5));  // before this run
  store.add_usage(asked("gemini", "gemini-2.5-pro", "turn", 9'000, 0.25));
  RunTotals run{.before = store.usage_by_model()};
  store.add_usage(asked("anthropic", "claude-sonnet-4-5", "turn", 100, 0.01));
  store.add_usage(asked("openai", "gpt-4o", "turn", 40, 0.002));  // after a switch
  store.add_usage(asked("anthropic", "claude-haiku-4-5", "summary", 20, 0.001));
  store.add_usage(asked("openrouter", "gpt-4o", "turn", 60, 0.003));  // the same name somewhere else
  store.add_usage(asked("anthropic", "claude-sonnet-4-5", "turn", 200, 0.02));

  const auto line = nlohmann::json::parse(result_line(session, {}, "done", run));
  const auto& models = line["modelUsage"];
  CHECK(models.size() == 4);
  CHECK(models["claude-sonnet-4-5"]["inputTokens"] == 300);
  CHECK(models["claude-sonnet-4-5"]["outputTokens"] == 20);
  CHECK(models["claude-sonnet-4-5"]["contextWindow"] ==
        session.models().find("anthropic", "claude-sonnet-4-5").window);
  CHECK(models["gpt-4o"]["inputTokens"] == 40);
  CHECK(models["openrouter/gpt-4o"]["inputTokens"] == 60);
  CHECK(models["claude-haiku-4-5"]["cacheReadInputTokens"] == 3);
  const std::pair<const char*, const char*> sums[] = {
      {"inputTokens", "input_tokens"},
      {"outputTokens", "output_tokens"},
      {"cacheReadInputTokens", "cache_read_input_tokens"},
      {"cacheCreationInputTokens", "cache_creation_input_tokens"}};
  for (const auto& [part, whole] : sums) {
    Tokens sum = 0;
    for (const auto& model : models) sum += model[part].get<Tokens>();
    CHECK(line["usage"][whole] == sum);
  }
  double dollars = 0;
  for (const auto& model : models) dollars += model["costUSD"].get<double>();
  CHECK(std::abs(line["total_cost_usd"].get<double>() - dollars) < 1e-9);
  CHECK(std::abs(dollars - 0.036) < 1e-9);
}

TEST_CASE("any line of prompts is a prompt, an order or an error, whatever its fields hold") {
  for (const char* line :
       {R"({"type":"user","message":{"role":"user","content":"hi"}})", R"({"type":"user","message":"hi"})",
        R"({"type":"user","content":[{"type":"image"},{"type":"text","text":"hi"}]})"})
    CHECK(parse_input_line(line).text == "hi");
  CHECK(parse_input_line(R"({"type":"control_request","request":{"subtype":"interrupt"}})").interrupt);
  CHECK_FALSE(parse_input_line(R"({"type":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}")
                  .error.empty());
  for (const char* line :
       {"", "5", "no json", R"({"type":5})", R"({"type":"user"})", R"({"type":"user","message":7})",
        R"({"type":"user","message":{"content":[{"type":7},null,[]]}})",
        R"({"type":"user","message":{"content":[{"type":"text","text":5}]}})",
        R"({"type":"user","content":{"type":"text","text":"hi"}})", R"({"type":"system","content":"hi"})",
        R"({"type":"control_request","request":"interrupt"})",
        R"({"type":"control_request","request":{"subtype":4}})"}) {
    INFO(line);
    const auto input = parse_input_line(line);
    CHECK(input.text.empty());
    CHECK_FALSE(input.error.empty());
    CHECK_FALSE(input.interrupt);
  }
}

TEST_CASE("a session that cannot be opened has a result with every field, too") {
  const auto line = nlohmann::json::parse(failure_line("no model", 3));
  for (const char* field : {"subtype", "is_error", "result", "session_id", "num_turns", "duration_ms",
                            "total_cost_usd", "usage", "modelUsage", "permission_denials"})
    CHECK(line.contains(field));
  CHECK(line["exit_code"] == 3);
  CHECK(line["usage"]["input_tokens"] == 0);
}
