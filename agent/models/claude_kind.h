// What a Claude's name says of how it thinks. A name nobody can read counts as the old kind: it thinks when
// given a budget.
#pragma once

#include <string_view>

namespace tern {

struct ClaudeKind {
  bool searches = false;    // loads tools it has searched for: from 4.5 on
  bool adaptive = false;    // decides itself how long it thinks and refuses a budget: from 4.7 on
  bool by_default = false;  // thinks without being asked: from 5 on
  bool binds = false;       // a thought is good only behind what it was thought for: from 5.1 on
};

ClaudeKind claude_kind(std::string_view model);

}  // namespace tern
