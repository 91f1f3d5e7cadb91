// How a conversation may be taken apart: turns (a user message and what followed) made of rounds (an
// assistant message and the results of its calls). Dropping whole rounds, or a user message whose rounds are
// all gone, keeps every message legal.
#pragma once

#include <vector>

#include "compression/values/context_edit.h"

namespace tern {

struct Round {
  std::size_t first = 0, last = 0;  // items, both ends belong to it
  std::size_t turn = 0;
  Tokens tokens = 0;
  bool calls = false;  // an assistant message with tool calls
  bool keep = false;   // something in it is protected
};

struct Turn {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t user = none;  // the item that opened it; none when the conversation opens otherwise
  std::size_t first_round = 0, end_round = 0;
  bool keep = false;  // the user message is protected
};

struct Outline {
  std::vector<Turn> turns;
  std::vector<Round> rounds;
};
// `keep` is parallel to the items (protected_items in budget.h). System items belong to no turn.
Outline outline(const Conversation& conversation, const std::vector<bool>& keep);

// Takes rounds away one by one; a user message leaves with its last round. Collects the edits.
class Taker {
 public:
  Taker(const Conversation& conversation, const Outline& outline, Reason why);

  void take(std::size_t round);              // once; rounds that keep something are skipped
  void take_turn(std::size_t turn);          // its rounds, and the user message itself unless protected
  Tokens tokens() const { return tokens_; }  // what is left
  Edits edits() &&;                          // in the order of the items

 private:
  void drop(std::size_t item);
  void drop_user(std::size_t turn);

  const Conversation& conversation_;
  const Outline& outline_;
  Reason why_;
  Tokens tokens_;
  std::vector<bool> dropped_;
  std::vector<std::size_t> left_;  // rounds left in each turn
};

}  // namespace tern
