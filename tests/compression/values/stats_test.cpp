#include "compression/stats.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "compression/microcompact.h"
#include "compression/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using Catch::Approx;

namespace {

Conversation stats_world() {
  std::string text = "user go\n";
  for (int i = 1; i <= 20; ++i)
    text += "call " + std::to_string(i) + " Read f" + std::to_string(i) + "\nresult " + std::to_string(i) + " 500 tokens\n";
  return test::script(text + "assistant done");
}

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

TEST_CASE("a batch is measured by layer, unit and ratio") {
  const auto before = stats_world();
  const auto edits = microcompact(before, {}, {});
  const auto after = tern::apply(before, edits);
  const auto c = measure(before, after, edits, {});
  CHECK(c.tier == Tier::micro);
  CHECK(c.saved() == saved(edits));
  CHECK(c.by_unit.at("microcompact") == c.saved());
  CHECK(c.edits_by_unit.at("microcompact") == edits.size());
  CHECK(c.ratio() == Approx(static_cast<double>(count(after)) / static_cast<double>(count(before))));
}

TEST_CASE("sums leave out what was undone") {
  Stats stats{{batch(Tier::micro, 1'000, 600), batch(Tier::compact, 900, 300), batch(Tier::micro, 800, 100, true)}};
  CHECK(stats.saved() == 1'000);
  CHECK(stats.saved(Tier::micro) == 400);
  CHECK(stats.mean_ratio() == Approx((0.6 + 1.0 / 3) / 2));
  CHECK(Stats{}.mean_ratio() == 1.0);
  CHECK(report(stats) ==
        "micro: 40 → 40 messages, 1,000 → 600 tokens (60 %)\n"
        "compact: 40 → 40 messages, 900 → 300 tokens (33 %)\n"
        "micro: 40 → 40 messages, 800 → 100 tokens (13 %); undone\n"
        "saved 1,000 tokens in 3 compressions\n");
}

TEST_CASE("suggestions come from the history, with their reasons") {
  const CompressionConfig config;
  CHECK(suggest({}, config).empty());
  CHECK(suggest({{batch(Tier::micro, 1'000, 500), batch(Tier::compact, 1'000, 400)}}, config).empty());
  CHECK(keys(suggest({{batch(Tier::micro, 1'000, 950), batch(Tier::micro, 1'000, 940), batch(Tier::micro, 1'000, 930)}},
                     config)) == "microLowWater=0.20 ");
  CHECK(keys(suggest({{batch(Tier::truncate, 1'000, 600)}}, config)) == "compactAt=0.70 ");
  const auto weak = batch(Tier::compact, 1'000, 800);
  CHECK(keys(suggest({{weak, weak, weak}}, config)) == "compactTarget=0.40 ");
  const auto undone = batch(Tier::compact, 1'000, 400, true);
  CHECK(keys(suggest({{undone, undone, batch(Tier::compact, 1'000, 300)}}, config)) == "protectResults=10 ");
}

TEST_CASE("the cost of a cut on a warm cache: the worked example") {
  // 40k saved, 60k rewritten: 17 requests with a five-minute cache, 28 with an hour's, 13 without a write premium.
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
