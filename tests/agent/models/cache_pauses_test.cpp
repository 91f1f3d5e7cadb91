// Whether a cache of an hour pays, by the pauses so far.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "agent/compactor/meters.h"
#include "agent/models/cost.h"
#include "agent/turn/agent.h"

namespace tern {
namespace {

using namespace std::chrono_literals;

ModelInfo sonnet() {
  ModelInfo model;
  model.provider = "anthropic";
  model.name = "claude";
  model.priced = model.caching = true;
  model.input = 3, model.output = 15, model.cache_read = 0.3, model.cache_write = 3.75;
  return model;
}

// Nine quick requests, then one after a pause.
CachePauses after(std::chrono::seconds pause) {
  CachePauses pauses;
  for (int i = 0; i < 60; ++i) pauses.saw(i % 10 == 9 ? pause : 20s, 80'000, 2'000, sonnet());
  return pauses;
}

}  // namespace

TEST_CASE("a cache of an hour pays for pauses of some minutes, not for none and not for nights") {
  CHECK_FALSE(after(60s).hour_pays());
  CHECK(after(10min).hour_pays());
  CHECK(after(50min).hour_pays());
  CHECK_FALSE(after(10h).hour_pays());
}

TEST_CASE("a few requests say nothing of pauses, and what they said is kept from session to session") {
  CachePauses pauses;
  for (int i = 0; i < 5; ++i) pauses.saw(10min, 80'000, 2'000, sonnet());
  CHECK_FALSE(pauses.hour_pays());
  CachePauses kept;
  kept.load(after(10min).save());
  CHECK(kept.hour_pays());
  kept.load("no figures");
  CHECK(kept.hour_pays());
}

TEST_CASE("what is written for an hour has its own price") {
  const auto model = sonnet();
  CHECK(std::abs(model.dollars({.cache_write = 1'000'000}) - 3.75) < 1e-9);
  CHECK(std::abs(model.dollars({.cache_write = 1'000'000, .long_write = 1'000'000}) - 6) < 1e-9);
}

TEST_CASE(
    "an hour is asked for when the cache is cold anyway, and the life that the provider gives is believed") {
  Context context;
  context.model = sonnet();
  TimePoint now{std::chrono::hours(1'000)};
  auto& gauges = context.gauges;
  gauges.reported(80'000, {.input = 10, .cache_write = 80'000}, context.model, now);
  gauges.pauses() = after(10min);
  gauges.choose_cache(context.model, true, now + 1min);
  CHECK_FALSE(build_request(context, {}).long_cache);  // the warm one has five minutes
  now += 6min;
  gauges.choose_cache(context.model, false, now);
  CHECK_FALSE(build_request(context, {}).long_cache);  // switched off
  gauges.choose_cache(context.model, true, now);
  CHECK(build_request(context, {}).long_cache);

  SECTION("a provider that keeps it for an hour") {
    gauges.reported(80'000, {.input = 10, .cache_write = 80'000, .long_write = 80'000}, context.model, now);
    CHECK(gauges.cache().life == 1h);
    CHECK(gauges.cache().warm(now + 50min));
    gauges.choose_cache(context.model, true, now + 50min);
    CHECK(gauges.asks_hour());
    Gauges again;
    again.load(gauges.save(context.model), context.model);
    CHECK(again.cache().warm(now + 50min));
  }
  SECTION("a gateway that does not") {
    gauges.reported(80'000, {.input = 10, .cache_write = 80'000}, context.model, now);
    CHECK(gauges.cache().life == 5min);
  }
  SECTION("another provider has no hours to sell") {
    context.model.provider = "openai";
    gauges.choose_cache(context.model, true, now);
    CHECK_FALSE(gauges.asks_hour());
  }
}

}  // namespace tern
