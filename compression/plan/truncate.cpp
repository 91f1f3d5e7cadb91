// Tier 4: no model, no failure. What is newest stays, as much as fits; the system prompt, pins, the first
// request and the protected zone come before it. When those alone are too much they are cut themselves
// (squeeze.h).
#include <algorithm>
#include <utility>

#include "compression/plan/plan.h"
#include "compression/plan/squeeze.h"
#include "compression/plan/strategies.h"
#include "compression/values/blocks.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr double user_share =
    0.25;  // of the room that old user messages may take before older rounds get any

// What stays, decided from the newest backwards; the must-haves are in before it begins.
class Choice {
 public:
  Choice(const Conversation& conversation, const CompressionConfig& config, Tokens target)
      : items_(conversation.items),
        parts_(outline(conversation, protected_items(conversation, config))),
        kept_(items_.size(), false),
        room_(target) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i]->role == Role::system) room_ -= keep(i);
    }
    for (const auto& turn : parts_.turns) {
      if (turn.keep) room_ -= keep(turn.user);
    }
    keep_summaries();
    for (const auto& round : parts_.rounds) {
      if (round.keep) room_ -= keep_round(round);
    }
    keep_user_messages();
    keep_newest_rounds();
    keep_askers();
  }

  Edits drops() const {
    const Reason why{Tier::truncate, "truncate", "older than what fits the window"};
    Edits edits;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!kept_[i]) edits.push_back({items_[i]->id, Drop{}, why, items_[i]->tokens});
    }
    return edits;
  }

 private:
  Tokens keep(std::size_t i) {
    if (kept_[i]) return 0;
    kept_[i] = true;
    return items_[i]->tokens;
  }
  Tokens keep_round(const Round& round) {
    Tokens sum = 0;
    for (std::size_t i = round.first; i <= round.last; ++i) sum += keep(i);
    return sum;
  }

  // Summaries stand for what left before: nothing says more in as few tokens. They come before the protected
  // results. The newest stays however large, since what fills the window is cut harder; older ones while half
  // of the room holds them.
  void keep_summaries() {
    Tokens half = room_ / 2;
    bool newest = true;
    for (std::size_t i = items_.size(); i-- > 0;) {
      if (!has<Summary>(*items_[i])) continue;
      if (!std::exchange(newest, false) && items_[i]->tokens > half) continue;
      half -= items_[i]->tokens;
      room_ -= keep(i);
    }
  }

  void keep_user_messages() {
    auto share = static_cast<Tokens>(static_cast<double>(std::max<Tokens>(0, room_)) * user_share);
    for (auto turn = parts_.turns.rbegin(); turn != parts_.turns.rend(); ++turn) {
      if (turn->user == Turn::none || kept_[turn->user] || !is_human(*items_[turn->user])) continue;
      const Tokens tokens = items_[turn->user]->tokens;
      if (tokens > share) break;
      share -= tokens;
      room_ -= keep(turn->user);
    }
  }

  void keep_newest_rounds() {
    for (auto round = parts_.rounds.rbegin(); round != parts_.rounds.rend(); ++round) {
      if (kept_[round->first]) continue;
      const std::size_t user = parts_.turns[round->turn].user;
      const Tokens asker = user != Turn::none && !kept_[user] ? items_[user]->tokens : 0;
      if (round->tokens + asker > room_) break;
      room_ -= keep_round(*round);
      if (asker > 0) room_ -= keep(user);
    }
  }

  // Two answers never stand side by side: where rounds stay, their user message does.
  void keep_askers() {
    for (const auto& round : parts_.rounds) {
      const std::size_t user = parts_.turns[round.turn].user;
      if (kept_[round.first] && user != Turn::none) room_ -= keep(user);
    }
  }

  const std::vector<ItemPtr>& items_;
  Outline parts_;
  std::vector<bool> kept_;
  Tokens room_;
};

}  // namespace

Edits truncate(const Conversation& conversation, const Budget& budget, Tokens target) {
  if (count(conversation) <= target) return {};
  Edits edits = without_unsent_thoughts(conversation);
  const Conversation spoken = tern::apply(conversation, edits);
  if (count(spoken) <= target) return edits;
  for (auto& edit : Choice(spoken, budget.config, target).drops()) edits.push_back(std::move(edit));
  const Conversation after = tern::apply(conversation, edits);
  if (count(after) > target) {
    for (auto& edit : squeeze(after, target)) edits.push_back(std::move(edit));
  }
  return edits;
}

namespace {

Edits propose_truncate(const Conversation& conversation, const Budget& budget) {
  return truncate(conversation, budget, compaction_goal(budget));
}

}  // namespace

constinit const Strategy truncate_strategy{
    "truncate", "drop the oldest messages down to the goal, without a model", propose_truncate};

}  // namespace tern
