#include "compression/plan/removal.h"

#include <algorithm>
#include <numeric>

#include "compression/plan/strategies.h"
#include "compression/values/blocks.h"
#include "compression/values/rounds.h"

namespace tern {

std::string_view to_string(Removal removal) { return removal == Removal::middle ? "middle" : "oldest"; }

namespace {

// What stays of itself: the protected zone, and each summary, which is all that is left of what it stands
// for. It opens a turn as a message of the person does, and would leave with that turn's last round.
Outline outline_of(const Conversation& conversation, const CompressionConfig& config) {
  auto keep = protected_items(conversation, config);
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] || has<Summary>(*conversation.items[i]);
  return outline(conversation, keep);
}

// Rounds in the order in which they leave: from the middle outwards, or from the oldest on.
std::vector<std::size_t> order_of(std::size_t rounds, Removal how) {
  std::vector<std::size_t> order(rounds);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (how == Removal::oldest) return order;
  const auto distance = [middle = static_cast<std::ptrdiff_t>(rounds)](std::size_t i) {
    return std::abs(2 * static_cast<std::ptrdiff_t>(i) + 1 - middle);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  return order;
}

}  // namespace

Edits remove(const Conversation& conversation, const CompressionConfig& config, Removal how, Tokens target) {
  const Outline parts = outline_of(conversation, config);
  const std::string unit(to_string(how));
  Taker taker(conversation, parts,
              {Tier::compact, unit + " removal", "removed from the " + unit + " to reach the target"});
  for (const std::size_t round : order_of(parts.rounds.size(), how)) {
    if (taker.tokens() <= target) break;
    taker.take(round);
  }
  for (std::size_t turn = 0; turn < parts.turns.size() && taker.tokens() > target; ++turn) {
    const Turn& t = parts.turns[turn];
    if (t.first_round == t.end_round) taker.take_turn(turn);
  }
  return std::move(taker).edits();
}

Tokens removal_goal(const Budget& budget) {
  constexpr double usual = 0.5;
  const auto& config = budget.config;
  return item_target(budget, config.compact_at * config.compact_target * config.target_ratio / usual);
}

namespace {

Edits propose_middle(const Conversation& conversation, const Budget& budget) {
  return remove(conversation, budget.config, Removal::middle, removal_goal(budget));
}
Edits propose_oldest(const Conversation& conversation, const Budget& budget) {
  return remove(conversation, budget.config, Removal::oldest, removal_goal(budget));
}

}  // namespace

constinit const Strategy middle_strategy{"middle", "drop rounds from the middle, keep both ends",
                                         propose_middle};
constinit const Strategy oldest_strategy{"oldest", "drop the oldest rounds", propose_oldest};

}  // namespace tern
