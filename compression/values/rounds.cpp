#include "compression/values/rounds.h"

#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

Outline outline(const Conversation& conversation, const std::vector<bool>& keep) {
  Outline result;
  const auto& items = conversation.items;
  const auto open_turn = [&](std::size_t user) {
    result.turns.push_back(
        {user, result.rounds.size(), result.rounds.size(), user != Turn::none && keep[user]});
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]->role == Role::system) continue;
    if (items[i]->role == Role::user) {
      open_turn(i);
      continue;
    }
    if (result.turns.empty()) open_turn(Turn::none);
    Round round{i, i, result.turns.size() - 1, items[i]->tokens, has<ToolCall>(*items[i]), keep[i]};
    if (round.calls && i + 1 < items.size() && has<ToolResult>(*items[i + 1])) {
      round.last = ++i;
      round.tokens += items[i]->tokens;
      round.keep = round.keep || keep[i];
    }
    result.rounds.push_back(round);
    result.turns.back().end_round = result.rounds.size();
  }
  return result;
}

Taker::Taker(const Conversation& conversation, const Outline& outline, Reason why)
    : conversation_(conversation),
      outline_(outline),
      why_(std::move(why)),
      tokens_(count(conversation)),
      dropped_(conversation.items.size(), false) {
  for (const auto& turn : outline.turns) left_.push_back(turn.end_round - turn.first_round);
}

void Taker::take(std::size_t index) {
  const Round& round = outline_.rounds[index];
  if (round.keep || dropped_[round.first]) return;
  for (std::size_t i = round.first; i <= round.last; ++i) drop(i);
  if (--left_[round.turn] == 0) drop_user(round.turn);
}

void Taker::take_turn(std::size_t index) {
  const Turn& turn = outline_.turns[index];
  for (std::size_t i = turn.first_round; i < turn.end_round; ++i) take(i);
  if (left_[index] == 0) drop_user(index);
}

void Taker::drop_user(std::size_t index) {
  const Turn& turn = outline_.turns[index];
  if (turn.user != Turn::none && !turn.keep) drop(turn.user);
}

void Taker::drop(std::size_t item) {
  if (dropped_[item]) return;
  dropped_[item] = true;
  tokens_ -= conversation_.items[item]->tokens;
}

Edits Taker::edits() && {
  Edits edits;
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (dropped_[i])
      edits.push_back({conversation_.items[i]->id, Drop{}, why_, conversation_.items[i]->tokens});
  }
  return edits;
}

}  // namespace tern
