#include "compression/plan/select.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compression/plan/plan.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

std::string chat(int turns, int words) {
  std::string out;
  for (int i = 0; i < turns; ++i) {
    std::string text;
    for (int w = 0; w < words; ++w) text += " word";
    out += "user Ask" + text + "\nassistant Answer" + text + "\n";
  }
  return out;
}

double three_decimals(double x) { return std::round(x * 1000) / 1000; }

}  // namespace

TEST_CASE("layer 1 goes by provider and model") {
  CHECK_FALSE(model_rule("openai", "gpt-4o").how.has_value());
  CHECK(model_rule("OpenAI", "o1-preview").how == Removal::middle);
  CHECK(model_rule("openai", "o3-mini").retention > 1);
  CHECK(model_rule("responses", "gpt-5").how == Removal::middle);
  CHECK(model_rule("responses", "gpt-5").retention > 1);
  CHECK(model_rule("responses", "gpt-6.1-sol").how == Removal::middle);
  CHECK_FALSE(model_rule("responses", "gpt-4o").how.has_value());
  CHECK(model_rule("anthropic", "claude-sonnet-4").how == Removal::oldest);
  CHECK(model_rule("google", "gemini-1.5-pro").how == Removal::middle);
  CHECK_FALSE(model_rule("google", "gemini-2.5-pro").how.has_value());
  CHECK_FALSE(model_rule("ollama", "qwen").how.has_value());
  CHECK_FALSE(model_rule("LMStudio", "x").how.has_value());
  CHECK_FALSE(model_rule("nobody", "knows").how.has_value());
}

TEST_CASE("severity goes by the share that may stay") {
  CHECK(severity_of(0.81) == Severity::light);
  CHECK(severity_of(0.8) == Severity::moderate);
  CHECK(severity_of(0.61) == Severity::moderate);
  CHECK(severity_of(0.6) == Severity::heavy);
}

TEST_CASE("layer 2 has five rules with their confidences") {
  const auto is = [](const StrategyVerdict& v, Removal how, double confidence) {
    return v.how == how && v.confidence == confidence;
  };
  CHECK(is(judge({.messages = 19, .ratio = 0.9}), Removal::middle, 0.8));
  CHECK(is(judge({.messages = 31, .ratio = 0.5}), Removal::oldest, 0.9));
  CHECK(is(judge({.messages = 25, .ratio = 0.9, .recent_share = 0.5, .system = true}), Removal::middle, 0.7));
  CHECK(is(judge({.messages = 25, .ratio = 0.9, .recent_share = 0.5}), Removal::oldest, 0.7));
  CHECK(is(judge({.messages = 25, .ratio = 0.7, .long_messages = true}), Removal::oldest, 0.6));
  CHECK(is(judge({.messages = 25, .ratio = 0.9, .tools = true}), Removal::middle, 0.7));
  CHECK(judge({.messages = 25, .ratio = 0.9}).confidence < 0.6);
}

TEST_CASE("layer 3: the worked example of 15 messages and 9,000 tokens") {
  const Outcome middle{.before = 9'000, .after = 6'200, .messages = 15, .kept = 12};
  const Outcome oldest{.before = 9'000, .after = 5'800, .messages = 15, .kept = 10};
  CHECK(three_decimals(efficiency(middle)) == Catch::Approx(0.507));
  CHECK(three_decimals(efficiency(oldest)) == Catch::Approx(0.480));
  CHECK(more_efficient(middle, oldest) == Removal::middle);
  CHECK(more_efficient(oldest, middle) == Removal::oldest);
  CHECK(more_efficient(middle, middle) == Removal::middle);
}

TEST_CASE("features are read from the conversation") {
  const auto world =
      script("system Be brief\n" + chat(10, 5) + "call 1 Read a.cpp\nresult 1 400 lines\nassistant Done");
  const auto f = features_of(world, count(world) / 2);
  CHECK(f.messages == world.items.size());
  CHECK(f.tools);
  CHECK(f.system);
  CHECK(f.long_messages);
  CHECK(f.recent_share > 0.5);
  CHECK(f.ratio == Catch::Approx(0.5).margin(0.01));
}

TEST_CASE("a choice says why, and low confidence runs both ways") {
  const auto world = script(chat(12, 20));
  Budget budget;
  budget.provider = "ollama";
  const auto s = select_removal(world, budget, count(world) * 95 / 100);
  REQUIRE(s.reasons.size() == 3);
  CHECK(s.reasons[0].starts_with("model: local model"));
  CHECK(s.reasons[2].starts_with("efficiency: middle 0."));
}

TEST_CASE("what is chosen is carried out, pairs whole") {
  const auto world =
      script("system Be brief\n" + chat(20, 30) + "call 1 Read a.cpp\nresult 1 60 lines\n" + chat(20, 30));
  for (const char* provider : {"anthropic", "openai", "ollama"}) {
    Budget budget;
    budget.provider = provider;
    budget.model = "gpt-4o";
    const auto after = tern::apply(world, remove_messages(world, budget, count(world) / 2));
    CHECK(check(after).empty());
    CHECK(count(after) <= count(world) / 2);
  }
}
