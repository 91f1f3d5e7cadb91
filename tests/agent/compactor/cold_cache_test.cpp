// The price of a cold cache: told before the next prompt, and met by a cut that pays at once. The clock is
// passed in.
#include "agent/compactor/cold_cache.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/agent/turn/long_work.h"
#include "tests/support/script.h"

using namespace tern;
using namespace std::chrono_literals;
using test::Rig;
using test::work;

namespace {

// A session with large old results at a price, its last request just answered from a warm cache.
struct ColdRig : Rig {
  ColdRig() : Rig(200'000) {
    context.model.provider = "anthropic";
    context.model.priced = context.model.caching = true;
    context.model.input = 3, context.model.output = 15, context.model.cache_read = 0.3,
    context.model.cache_write = 3.75;
    work(*this, 14, 1'500);
    const auto all = context.estimated();
    context.gauges.reported(all, {.input = 100, .cache_read = all}, context.model, now());
  }
  std::string bytes() const { return test::to_script(context.conversation, SIZE_MAX); }
  Meters bar() {
    auto meters = read_meters(context);
    tell_cold(meters, context, clock);
    return meters;
  }
};

}  // namespace

TEST_CASE("each provider's cache has a life of its own") {
  ModelInfo model;
  model.provider = "anthropic";
  CHECK(cache_life(model) == 5min);
  model.provider = "openai";
  CHECK(cache_life(model) == 10min);
  model.provider = "deepseek";
  CHECK(cache_life(model) > 1h);
}

TEST_CASE(
    "the bar knows when the cache will be cold, what the next turn costs then and what after compacting") {
  ColdRig rig;
  auto bar = rig.bar();
  CHECK(bar.cold_in_ms == 300'000);
  rig.clock += 2min;
  CHECK(rig.bar().cold_in_ms == 180'000);
  rig.clock += 4min;
  bar = rig.bar();
  CHECK(bar.cold_in_ms == 0);
  CHECK(bar.cold_dollars > 0.05);
  CHECK(bar.cold_compacted > 0);
  CHECK(bar.cold_compacted < bar.cold_dollars * 0.8);
  rig.context.model.priced = false;
  CHECK(rig.bar().cold_in_ms == -1);
}

TEST_CASE(
    "the first request after the cache has gone compacts where that saves a fifth, and is undone byte for "
    "byte") {
  ColdRig rig;
  const auto before = rig.bytes();
  const auto expected = rig.bar();
  rig.compactor.make_room(rig.context, {});
  CHECK(rig.bytes() == before);  // warm: nothing is broken
  rig.clock += 6min;
  rig.compactor.make_room(rig.context, {});
  REQUIRE(rig.bytes() != before);
  const auto row = rig.store->compactions().back();
  CHECK(row.tier == Tier::micro);
  CHECK(row.why.find("the provider's cache is cold") == 0);
  CHECK(std::abs(static_cast<double>(used_of(rig.context)) * 3.75 / 1e6 - expected.cold_compacted) < 0.01);
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(rig.bytes() == before);
  rig.compactor.make_room(rig.context, {});
  CHECK(rig.bytes() == before);  // what a person took back stays
}

TEST_CASE(
    "a cold cache is left alone where the setting says so, where nobody can be asked, and where little is "
    "saved") {
  ColdRig rig;
  const auto before = rig.bytes();
  rig.clock += 6min;
  rig.context.config.cold_cache = ColdCache::leave;
  rig.compactor.make_room(rig.context, {});
  CHECK(rig.bytes() == before);
  rig.context.config.cold_cache = ColdCache::ask;
  rig.compactor.make_room(rig.context, {});
  CHECK(rig.bytes() == before);
  rig.context.config.cold_cache = ColdCache::compact;
  rig.context.model.cache_write = rig.context.model.input = 0.01;  // pennies
  rig.compactor.make_room(rig.context, {});
  CHECK(rig.bytes() == before);
}
