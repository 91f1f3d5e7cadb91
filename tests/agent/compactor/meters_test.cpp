#include "agent/compactor/meters.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;

namespace {

Context context_of(const char* text) {
  Context context;
  context.model.window = 100'000;
  context.model.max_output = 8'000;
  context.prompt.system = 500;
  context.prompt.memory = 70;
  context.tool_tokens = 900;
  context.conversation = test::script(text);
  return context;
}

Tokens sum(const Meters& meters) {
  Tokens total = 0;
  for (const auto& part : meters.parts) total += part.tokens;
  return total;
}

constexpr const char* talk =
    "user fix it\nassistant looking\ncall 1 Read a.cpp\nresult 1 300 lines\nassistant done\n";

}  // namespace

TEST_CASE("the parts sum to what is used, also when calibrated") {
  auto context = context_of(talk);
  const auto bare = read_meters(context);
  CHECK(sum(bare) == bare.used);
  CHECK(bare.estimated);
  context.gauges.reported(context.estimated(), {.input = context.estimated() * 13 / 10}, context.model,
                          TimePoint{std::chrono::hours(1)});
  const auto calibrated = read_meters(context);
  CHECK(sum(calibrated) == calibrated.used);
  CHECK_FALSE(calibrated.estimated);
  CHECK(calibrated.used > bare.used * 12 / 10);
}

TEST_CASE(
    "a resumed session judges its context as it did before, and another model's figures are not taken over") {
  auto context = context_of(talk);
  context.model.provider = "p", context.model.name = "m";
  context.gauges.reported(context.estimated(), {.input = context.estimated() / 2}, context.model,
                          TimePoint{std::chrono::hours(1)});
  const auto before = read_meters(context);
  const auto saved = context.gauges.save(context.model);
  auto resumed = context_of(talk);
  resumed.model.provider = "p", resumed.model.name = "m";
  resumed.gauges.load(saved, resumed.model);
  CHECK(read_meters(resumed).used == before.used);
  CHECK_FALSE(read_meters(resumed).estimated);
  auto other = context_of(talk);
  other.model.provider = "p", other.model.name = "n";
  other.gauges.load(saved, other.model);
  CHECK(read_meters(other).used == read_meters(context_of(talk)).used);
  CHECK(other.gauges.saved() == context.gauges.saved());
  other.gauges.load("19445 0.189255 1 10111.000000 2", other.model);  // as earlier versions wrote it
  CHECK(other.gauges.saved() == 19'445);
  CHECK(other.gauges.dollars_known());
}

TEST_CASE("what the provider reported is the anchor, only later items are estimated") {
  auto context = context_of(talk);
  context.gauges.reported(context.estimated(), {.input = 7'777}, context.model,
                          TimePoint{std::chrono::hours(1)});
  CHECK(read_meters(context).used == Catch::Approx(7'777).margin(2));
  const auto before = context.estimated();
  context.conversation.items.push_back(test::script("user " + std::string(4'000, 'x')).items.front());
  const auto more = context.estimated() - before;
  CHECK(read_meters(context).used > 7'777 + more / 2);
}

TEST_CASE("the context is weighed by the family of the model in use") {
  std::string talk = "user ";
  for (int i = 0; i < 200; ++i) talk += "当上下文快要满的时候，较早的工具结果会被压缩成一行。";
  auto context = context_of(talk.c_str());
  const auto used_by = [&](const char* model) {
    context.model.name = model;
    return read_meters(context).used;
  };
  const auto unknown = used_by("m");
  CHECK(unknown == context.counted());
  CHECK(used_by("deepseek-chat") < unknown * 85 / 100);
  CHECK(used_by("gpt-4-turbo") > unknown);
  context.gauges.reported(context.estimated(), {.input = 7'777}, context.model, TimePoint{});
  CHECK(read_meters(context).used == Catch::Approx(7'777).margin(2));  // what is reported counts more
  CHECK(sum(read_meters(context)) == read_meters(context).used);
}

TEST_CASE("what a cut leaves counts at the rate of the whole") {
  Gauges gauges;
  gauges.reported(10'000, {.input = 6'000}, {}, {});
  const double rate = gauges.factor(12'000);
  gauges.cut(12'000, 5'000);
  CHECK(gauges.factor(5'000) == Catch::Approx(rate).epsilon(0.001));
  CHECK(gauges.factor(5'000) * 5'000 < gauges.factor(12'000) * 12'000);
}

TEST_CASE("the forecast waits for three turns and leaves out what is far away") {
  Forecast forecast;
  CHECK(forecast.turns(10'000) == -1);
  forecast.learn(1'000);
  forecast.learn(1'000);
  CHECK(forecast.turns(10'000) == -1);
  forecast.learn(1'000);
  CHECK(forecast.turns(10'000) == 10);
  CHECK(forecast.turns(49'999) == 49);
  CHECK(forecast.turns(50'000) == -1);
}

TEST_CASE("the forecast follows recent growth") {
  Forecast forecast;
  for (int i = 0; i < 10; ++i) forecast.learn(1'000);
  CHECK(forecast.turns(10'500) == 10);
  for (int i = 0; i < 10; ++i) forecast.learn(5'000);
  CHECK(forecast.turns(10'500) == 2);
  Forecast loaded;
  loaded.load(forecast.save());
  CHECK(loaded.turns(10'500) == 2);
}

TEST_CASE("a cold cache makes a cut free, a warm one has a price and a break-even") {
  ModelInfo model;
  model.input = 3, model.output = 15, model.cache_read = 0.3, model.cache_write = 3.75, model.priced = true;
  CacheState cache;
  const TimePoint begin{std::chrono::hours(1)};
  cache.learn({.input = 100, .cache_read = 900}, begin);
  CHECK(cache.hit == Catch::Approx(0.9));
  const auto warm = cut_cost(40'000, 60'000, cache, begin + std::chrono::seconds(30), model);
  CHECK(warm.warm);
  CHECK(warm.break_even == Catch::Approx(17.25));  // S(w−r)/(X r)
  const auto cold = cut_cost(40'000, 60'000, cache, begin + std::chrono::minutes(10), model);
  CHECK_FALSE(cold.warm);
  CHECK(cold.break_even == Catch::Approx(0));
  CHECK(describe(warm, cache, begin + std::chrono::seconds(30)).find("pays after 18 turns") !=
        std::string::npos);
}

TEST_CASE("what a cut saves and when it pays is said in turns of as many requests as the last ones had") {
  ModelInfo model;
  model.input = 3, model.output = 15, model.cache_read = 0.3, model.cache_write = 3.75, model.priced = true;
  const TimePoint begin{std::chrono::hours(1)};
  Gauges gauges;
  CHECK(gauges.requests_per_turn() == Catch::Approx(1));
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 4; ++i) gauges.reported(1'000, {.input = 100, .cache_read = 900}, model, begin);
    gauges.turn_ended();
  }
  gauges.turn_ended();  // nothing was asked
  CHECK(gauges.requests_per_turn() == Catch::Approx(4));
  Gauges again;
  again.load(gauges.save(model), model);
  CHECK(again.requests_per_turn() == Catch::Approx(4));
  const auto one = cut_cost(40'000, 60'000, gauges.cache(), begin, model);
  const auto four = cut_cost(40'000, 60'000, gauges.cache(), begin, model, gauges.requests_per_turn());
  CHECK(four.per_turn == Catch::Approx(4 * one.per_turn));
  CHECK(four.break_even == Catch::Approx(17.25 / 4));
  CHECK(describe(four, gauges.cache(), begin)
            .find("saves $0.0480 per turn · pays after 5 turns (18 requests)") != std::string::npos);
  const CompressionConfig config;
  CHECK(better_later(four, 0.62, config) ==
        better_later(one, 0.62, config));  // the cache is broken for requests
  for (int i = 0; i < 9; ++i) gauges.reported(1'000, {.input = 100}, model, begin);
  CHECK(gauges.requests_per_turn() == Catch::Approx(9));  // the one under way is longer already
}

TEST_CASE("a warm cache is broken early only for what pays soon, and late for anything") {
  const CompressionConfig config;  // marks at 60 and 80 %
  const CutCost late{.known = true, .warm = true, .break_even = 9},
      soon{.known = true, .warm = true, .break_even = 7};
  CHECK(better_later(late, 0.62, config));
  CHECK(better_later(late, 0.78, config));
  CHECK_FALSE(better_later(late, 0.79, config));
  CHECK_FALSE(better_later(soon, 0.62, config));
  CHECK_FALSE(better_later({.known = true, .break_even = 9}, 0.62, config));
  CHECK_FALSE(better_later({.warm = true, .break_even = 9}, 0.62, config));
}

TEST_CASE("unknown prices are said, never shown as zero") {
  const auto cost = cut_cost(1'000, 1'000, {}, {}, ModelInfo{});
  CHECK_FALSE(cost.known);
  CHECK(describe(cost, {}, {}).find("prices unknown") != std::string::npos);
  CHECK(thousands(78'400) == "78k");
  CHECK(thousands(950) == "950");
  CHECK(money(0.4142) == "$0.41");
}
