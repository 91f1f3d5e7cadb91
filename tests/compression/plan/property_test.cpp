// What must hold for every conversation and every strategy, tried on random ones; TERN_SEEDS=N tries N of
// them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <random>

#include "compression/plan/plan.h"
#include "compression/plan/removal.h"
#include "compression/plan/strategies.h"
#include "compression/plan/window.h"
#include "compression/reading/snip.h"
#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/random_conversation.h"
#include "tests/support/script.h"

using namespace tern;
using test::random_conversation;
using test::to_script;

namespace {

const unsigned seeds = [] {
  const char* wanted = std::getenv("TERN_SEEDS");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 60u;
}();

Budget filled_to(const Conversation& conversation, double share) {
  Budget budget;
  budget.reserve = 0;
  budget.window = std::max<Tokens>(1, static_cast<Tokens>(static_cast<double>(count(conversation)) / share));
  return budget;
}

std::string all_of(const Conversation& conversation) { return to_script(conversation, 1'000'000); }

void must_hold(const Conversation& before, const Edits& edits, bool pins_may_go = false) {
  const auto after = tern::apply(before, edits);
  const auto faults = check(after);
  INFO((faults.empty() ? "" : faults[0].what + " at " + std::to_string(faults[0].item.value)));
  CHECK(faults.empty());
  if (!pins_may_go) CHECK(check_edit(before, after).empty());
  CHECK(count(after) <= count(before));
  CHECK(saved(edits) == count(before) - count(after));
  for (const auto& item : after.items) {
    if (item->tokens != estimate(*item)) FAIL("item " << item->id.value << " was not counted again");
  }
  for (const auto& edit : edits) {
    if (edit.why.unit.empty() || edit.why.why.empty()) FAIL("an edit without a reason");
  }
}

}  // namespace

TEST_CASE("random conversations are legal, and repair leaves them alone") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed);
    CHECK(check(conversation).empty());
    CHECK(repair(conversation).items == conversation.items);
  }
}

TEST_CASE(
    "every strategy keeps the shape, the system, the pins; tokens never grow; the same input gives the same "
    "output") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed);
    for (const double share : {0.5, 1.0, 2.0}) {
      const auto budget = filled_to(conversation, share);
      for (const auto* strategy : strategies()) {
        INFO("seed " << seed << ", " << strategy->name << " at " << share);
        const auto edits = strategy->propose(conversation, budget);
        must_hold(conversation, edits, strategy->name == "truncate");
        CHECK(to_script(edits) == to_script(strategy->propose(conversation, budget)));
      }
    }
  }
}

TEST_CASE("no removal takes a summary away with the turn that follows it") {
  std::mt19937 random(11);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    auto conversation = random_conversation(seed);
    std::vector<ItemPtr> summaries;
    for (auto& item : conversation.items) {
      if (!is_human(*item) || random() % 3 != 0) continue;
      Item summary = *item;
      summary.synthetic = true;
      summary.recall = RecallId{static_cast<std::uint32_t>(1'000 + summaries.size())};
      summary.blocks = {Summary{"what was done before " + std::to_string(random()), {item->id, item->id}}};
      item = make_item(std::move(summary));
      summaries.push_back(item);
    }
    Budget budget = filled_to(conversation, 1);
    budget.config.max_turns = budget.config.keep_recent = static_cast<int>(1 + random() % 5);
    budget.config.sliding_window = true;
    const auto stay = [&](const Edits& edits, std::string_view how) {
      INFO("seed " << seed << ", " << how);
      must_hold(conversation, edits);
      const auto after = tern::apply(conversation, edits);
      std::string told;  // the window takes earlier summaries into its own
      for (const auto& item : after.items)
        for (const auto* summary : blocks_of<Summary>(*item)) told += summary->text + "\n";
      for (const auto& summary : summaries) {
        const bool stands = std::find(after.items.begin(), after.items.end(), summary) != after.items.end();
        CHECK((stands || (how == "window" &&
                          told.find(std::get<Summary>(summary->blocks[0]).text) != std::string::npos)));
      }
    };
    for (const Tokens target : {Tokens{0}, count(conversation) / 4, count(conversation) / 2}) {
      stay(remove(conversation, budget.config, Removal::middle, target), "middle");
      stay(remove(conversation, budget.config, Removal::oldest, target), "oldest");
      stay(remove_messages(conversation, budget, target), "chosen");
    }
    stay(slide(conversation, budget.config), "window");
    for (const auto* name : {"middle", "oldest", "window", "hybrid", "tools"})
      stay(find_strategy(name)->propose(conversation, budget), name);
  }
}

TEST_CASE("plans keep the shape at every share, and the hard tier always fits") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed);
    for (const double share : {0.3, 0.65, 0.85, 0.97, 3.0}) {
      INFO("seed " << seed << " at " << share);
      auto budget = filled_to(conversation, share);
      budget.config.strategy = "local";
      const auto due = plan(conversation, budget);
      must_hold(conversation, due.edits, due.tier == Tier::truncate);
    }
  }
}

TEST_CASE("truncate meets any target that the system leaves room for") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed);
    for (const Tokens target : {10'000, 3'000, 1'000, 400}) {
      INFO("seed " << seed << " to " << target);
      const auto after = tern::apply(conversation, truncate(conversation, {}, target));
      CHECK(count(after) <= target);
      CHECK(check(after).empty());
    }
  }
}

TEST_CASE("undo of any batch restores exactly what the log without it gives") {
  std::minstd_rand random(7);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed, {.turns = 8});
    const auto later = random_conversation(seed + 1'000, {.turns = 3, .pins = false});
    const auto budget = filled_to(conversation, 1.5);
    std::vector<LogEntry> log(conversation.items.begin(), conversation.items.end());
    ItemId next{100'000};
    std::vector<std::uint64_t> batches;
    for (std::uint64_t id = 1; id <= 3; ++id) {
      auto edits = strategies()[random() % strategies().size()]->propose(replay(log), budget);
      give_ids(edits, next);
      log.emplace_back(Batch{id, std::move(edits)});
      batches.push_back(id);
      for (const auto& item : later.items) {
        if (item->role == Role::system) continue;
        Item copy = *item;
        copy.id = ItemId{1'000 * id + item->id.value};
        log.emplace_back(std::make_shared<const Item>(std::move(copy)));
      }
    }
    std::vector<LogEntry> plain;
    for (const auto& entry : log) {
      if (std::holds_alternative<ItemPtr>(entry)) plain.push_back(entry);
    }
    INFO("seed " << seed);
    CHECK(all_of(replay(log, batches)) == all_of(replay(plain)));
    CHECK(all_of(replay(log)) == all_of(replay(log)));
    const std::uint64_t last[] = {3};
    std::vector<LogEntry> shorter;
    for (const auto& entry : log) {
      const auto* batch = std::get_if<Batch>(&entry);
      if (!batch || batch->id != 3) shorter.push_back(entry);
    }
    CHECK(all_of(replay(log, last)) == all_of(replay(shorter)));
  }
}

TEST_CASE("undoing one of two overlapping compactions keeps the summary of the other") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed, {.turns = 12, .pins = false});
    std::vector<LogEntry> log(conversation.items.begin(), conversation.items.end());
    const auto summarise = [&](std::uint64_t id, std::size_t first,
                               std::size_t last) {  // whole turns of what the log shows now
      const auto now = replay(log);
      std::vector<std::size_t> prompts;
      for (std::size_t i = 0; i < now.items.size(); ++i)
        if (std::any_of(now.items[i]->blocks.begin(), now.items[i]->blocks.end(),
                        [](const Block& block) {
                          return std::holds_alternative<Text>(block) ||
                                 std::holds_alternative<Summary>(block);
                        }) &&
            now.items[i]->role == Role::user)
          prompts.push_back(i);
      if (prompts.size() < last + 1) return false;
      Item summary;
      summary.role = Role::user;
      summary.id = ItemId{50'000 + id};
      summary.blocks = {Summary{"summary " + std::to_string(id), {}}};
      Edits edits = {
          {now.items[prompts[first]]->id, Insert{make_item(summary)}, {Tier::compact, "test", ""}, 0}};
      for (std::size_t i = prompts[first]; i < prompts[last]; ++i)
        edits.push_back({now.items[i]->id, Drop{}, {Tier::compact, "test", ""}, 0});
      log.emplace_back(Batch{id, std::move(edits)});
      return true;
    };
    if (!summarise(1, 1, 4) || !summarise(2, 1, 3))
      continue;  // the second begins with the summary of the first
    INFO("seed " << seed);
    const std::uint64_t one[] = {1}, two[] = {2}, both[] = {1, 2};
    const auto holds = [](const Conversation& now, std::uint64_t id) {
      return std::any_of(now.items.begin(), now.items.end(),
                         [&](const ItemPtr& item) { return item->id.value == 50'000 + id; });
    };
    const auto without_one = replay(log, one), without_two = replay(log, two);
    CHECK(holds(without_one, 2));
    CHECK(check(tern::repair(without_one)).empty());
    CHECK(holds(without_two, 1));
    CHECK_FALSE(holds(without_two, 2));
    CHECK(all_of(replay(log, both)) == all_of(conversation));
  }
}

TEST_CASE("random edits never crash, and repair makes any outcome legal") {
  std::minstd_rand random(11);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto conversation = random_conversation(seed);
    Edits edits;
    for (int i = 0; i < 20; ++i) {
      const ItemId target{random() % (conversation.items.size() + 3)};
      Edit edit{target, Drop{}, {}, 0};
      if (random() % 3 == 0) edit.how = Replace{random() % 3, Text{random() % 4 ? "something" : " "}};
      if (random() % 5 == 0)
        edit.how = Insert{make_item({.id = {500 + random() % 10},
                                     .role = random() % 2 ? Role::user : Role::assistant,
                                     .blocks = {Text{"new"}}})};
      if (random() % 7 == 0) edit.how = Pin{random() % 2 == 0};
      edits.push_back(std::move(edit));
    }
    const auto mended = repair(tern::apply(conversation, edits));
    const auto faults = check(mended);
    INFO("seed " << seed << ": " << (faults.empty() ? "" : faults[0].what));
    CHECK(faults.empty());
    CHECK(repair(mended).items == mended.items);
  }
}

TEST_CASE("snip of every result keeps the shape and never grows") {
  Budget budget;
  budget.config.snip_limit = budget.config.read_limit = 600;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    for (const auto& item : random_conversation(seed).items) {
      const auto once = snip(*item, budget);
      CHECK(once.tokens <= item->tokens + 40);
      CHECK(snip(once, budget).blocks == once.blocks);
    }
  }
}
