// One way to make a conversation smaller.
#pragma once

#include <string_view>

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct Strategy {
  std::string_view name, help;
  // Edits towards the goal of the budget (compaction_goal); empty when there is nothing to gain.
  Edits (*propose)(const Conversation& conversation, const Budget& budget);
};

}  // namespace tern
