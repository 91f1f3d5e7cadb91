// Every way to make a conversation smaller, by name. A row in strategies.inc makes one known everywhere: to
// the plan, to the config and the commands that choose one, and to the property tests, which run them all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compression/values/strategy.h"

namespace tern {

std::span<const Strategy* const> strategies();
const Strategy* find_strategy(std::string_view name);  // null when there is none of that name
std::string compaction_names();  // all a person may choose, with a space between: the model's two, then these
bool is_compaction(std::string_view name);

#define STRATEGY(name) extern const Strategy name##_strategy;
#include "compression/plan/strategies.inc"
#undef STRATEGY

}  // namespace tern
