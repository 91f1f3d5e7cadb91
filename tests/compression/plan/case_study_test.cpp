// The 32-turn session of the founding text: 287k tokens that would not fit 200k, brought to 198k by snipping,
// to 142k by microcompaction, to 89k by one summary; never truncated. Each layer here must save at least as
// much of what it is given.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>

#include "compression/plan/microcompact.h"
#include "compression/plan/plan.h"
#include "compression/plan/summary_local.h"
#include "compression/reading/snip.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

constexpr int study_turns = 32;

std::string words(int n, int seed) {
  static const char* const list[] = {"the", "parser", "keeps", "its",    "state", "between", "calls", "so",
                                     "we",  "change", "one",   "branch", "and",   "test",    "again"};
  std::string text;
  for (int i = 0; i < n; ++i) text += std::string(list[(i * 7 + seed) % 15]) + (i % 12 == 11 ? ". " : " ");
  return text;
}

// Large reads (over the snip limit), many middling results, and talk, in the proportions of the table.
Conversation session() {
  std::string text = "system " + words(3'000, 1) + "\n";
  int call = 1;
  for (int turn = 1; turn <= study_turns; ++turn) {
    const auto t = std::to_string(turn);
    text += "user " + words(120, turn) + "\n";
    if (turn % 2 == 0) {
      const auto n = std::to_string(call++);
      text += "say " + words(80, turn) + "\ncall " + n + " Read src/module_" + t + ".cpp\nresult " + n +
              " 7400 tokens\n";
    }
    for (int i = 0; i < 3; ++i) {
      const auto n = std::to_string(call++);
      const char* const what[] = {"Bash ctest -R part", "Grep frame", "Read src/part_"};
      text += "call " + n + " " + what[i] + t + "\nresult " + n + " 1050 tokens\n";
    }
    text += "assistant " + words(1'600, turn) + "\n";
  }
  return script(text);
}

struct Layer {
  const char* name;
  Tokens before, after;
  double claimed;  // share saved in the founding text
};

void show(const Layer& layer) {
  const double share = 1.0 - static_cast<double>(layer.after) / static_cast<double>(layer.before);
  std::printf("  %-12s %4lldk -> %4lldk  saves %4.1f %%  (claimed %4.1f %%)\n", layer.name,
              static_cast<long long>(layer.before / 1000), static_cast<long long>(layer.after / 1000),
              share * 100, layer.claimed * 100);
  CHECK(share >= layer.claimed);
}

}  // namespace

TEST_CASE(
    "the 32-turn session: each layer saves at least what the founding text claims, and nothing is "
    "truncated") {
  Budget budget{.window = 200'000, .reserve = 20'000};
  budget.config.strategy = "local";
  const auto whole = session();
  CHECK(count(whole) > 270'000);
  CHECK(count(whole) < 310'000);

  // One limit for every result, files too, as in the founding text: large reads are above it, middling
  // results below.
  budget.config.snip_limit = budget.config.read_limit = 5'000;
  Conversation snipped;
  for (const auto& item : whole.items) snipped.items.push_back(make_item(snip(*item, budget)));
  show({"snip", count(whole), count(snipped), 89.0 / 287});

  const auto micro = tern::apply(snipped, microcompact(snipped, budget, {}));
  show({"microcompact", count(snipped), count(micro), 56.0 / 198});

  const auto summary = local_summary(micro, budget, {});
  const auto compacted = tern::apply(micro, summary);
  show({"auto-compact", count(micro), count(compacted), 53.0 / 142});

  CHECK(count(compacted) <= 89'000);
  CHECK(check(compacted).empty());
  CHECK(check_edit(micro, compacted).empty());
  CHECK(plan(compacted, budget).tier == Tier::none);
}

TEST_CASE("the same session lived turn by turn never meets the hard limit") {
  Budget budget{.window = 200'000, .reserve = 20'000};
  budget.config.strategy = "local";
  Conversation context;
  ItemId next{1'000'000};
  int micro = 0, compact = 0, truncated = 0;
  Tokens highest = 0;
  for (const auto& item : session().items) {
    context.items.push_back(make_item(snip(*item, budget, {.share = usage(context, budget).share})));
    if (item->role == Role::assistant && !check(context).empty()) continue;  // a call waits for its result
    auto due = plan(context, budget);
    give_ids(due.edits, next);
    context = tern::apply(context, due.edits);
    micro += due.tier == Tier::micro;
    compact += due.tier == Tier::compact;
    truncated += due.tier == Tier::truncate;
    highest = std::max(highest, count(context));
    REQUIRE(check(context).empty());
  }
  std::printf(
      "  lived: %d microcompactions, %d compactions, %d truncations; at most %lldk, at the end %lldk\n",
      micro, compact, truncated, static_cast<long long>(highest / 1000),
      static_cast<long long>(count(context) / 1000));
  CHECK(truncated == 0);
  CHECK(micro + compact >= 1);
  CHECK(highest < 171'000);
}
