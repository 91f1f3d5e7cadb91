// Every way to make a conversation smaller, by name. A row in strategies.inc makes one known everywhere: to the plan, to the
// config and the commands that choose one, and to the property tests, which run them all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compression/budget.h"
#include "compression/edit.h"

namespace tern {

struct Strategy {
  std::string_view name, help;
  // Edits towards the goal of the budget (compaction_goal); empty when there is nothing to gain.
  Edits (*propose)(const Conversation& conversation, const Budget& budget);
};

std::span<const Strategy* const> strategies();
const Strategy* find_strategy(std::string_view name);  // null when there is none of that name
std::string compaction_names();  // all a person may choose, with a space between: the model's two, then these
bool is_compaction(std::string_view name);

#define STRATEGY(name) extern const Strategy name##_strategy;
#include "compression/strategies.inc"
#undef STRATEGY

}  // namespace tern
