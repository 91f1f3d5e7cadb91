#include "compression/values/stats.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;
using Catch::Approx;

namespace {

Compression batch(Tier tier, Tokens before, Tokens after, bool undone = false) {
  Compression c;
  c.tier = tier;
  c.messages_before = c.messages_after = 40;
  c.before = before;
  c.after = after;
  c.undone = undone;
  return c;
}

std::string keys(const std::vector<Suggestion>& suggestions) {
  std::string all;
  for (const auto& s : suggestions) all += s.key + "=" + s.value + " ";
  return all;
}

}  // namespace

TEST_CASE("suggestions come from the history, with their reasons") {
  const CompressionConfig config;
  CHECK(suggest({}, config).empty());
  CHECK(suggest({{batch(Tier::micro, 1'000, 500), batch(Tier::compact, 1'000, 400)}}, config).empty());
  CHECK(keys(suggest({{batch(Tier::micro, 1'000, 950), batch(Tier::micro, 1'000, 940),
                       batch(Tier::micro, 1'000, 930)}},
                     config)) == "microLowWater=0.10 ");
  CHECK(keys(suggest({{batch(Tier::truncate, 1'000, 600)}}, config)) == "compactAt=0.70 ");
  const auto weak = batch(Tier::compact, 1'000, 800);
  CHECK(keys(suggest({{weak, weak, weak}}, config)) == "compactTarget=0.40 ");
  const auto undone = batch(Tier::compact, 1'000, 400, true);
  CHECK(keys(suggest({{undone, undone, batch(Tier::compact, 1'000, 300)}}, config)) == "protectResults=10 ");
}

TEST_CASE("the cost of a cut on a warm cache: the worked example") {
  // 40k saved, 60k rewritten: 17 requests with a five-minute cache, 28 with an hour's, 13 without a write
  // premium.
  auto before = test::script("user 1 a\ncall 1 Read a\nresult 1 = x\nassistant 4 b");
  const auto sized = [&](std::size_t i, Tokens tokens) {
    Item item = *before.items[i];
    item.tokens = tokens;
    before.items[i] = std::make_shared<const Item>(std::move(item));
  };
  sized(0, 10'000), sized(1, 0), sized(2, 41'000), sized(3, 59'000);
  const Edits edits{{ItemId{3}, Drop{}, {}, 40'000}};
  const auto cost = cache_cost(before, edits, false);
  CHECK(cost.rewritten == 60'000);
  CHECK(cost.break_even == Approx(17.25));
  CHECK(cache_cost(before, edits, false, {.write = 2.0}).break_even == Approx(28.5));
  CHECK(cache_cost(before, edits, false, {.write = 1.0}).break_even == Approx(13.5));
  CHECK(cache_cost(before, edits, true).break_even == 0);
}

TEST_CASE("a small cut far in front does not break the cache of what stands behind it") {
  Conversation before;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    auto item = std::make_shared<Item>();
    item->id = {i};
    item->tokens = 5'000;
    before.items.push_back(item);
  }
  const auto cut = [](std::uint64_t item, Tokens saved) {
    return Edit{ItemId{item}, Replace{0, Text{}}, {}, saved};
  };
  const Edits small{cut(1, 200), cut(2, 100), cut(4, 4'000)};
  const auto left = worth_rewriting(before, small, 25);
  REQUIRE(left.size() == 1);
  CHECK(left[0].target == ItemId{4});
  const Edits large{cut(1, 4'800), cut(2, 4'800), cut(3, 4'800), cut(4, 4'000)};
  CHECK(worth_rewriting(before, large, 25).size() == 4);
  CHECK(worth_rewriting(before, {}, 25).empty());
}
