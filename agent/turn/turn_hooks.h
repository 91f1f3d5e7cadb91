// Where hooks meet a turn: its prompts, and its end.
#pragma once

#include <stop_token>
#include <string>

#include "agent/turn/agent.h"

namespace tern {

// Empty: the prompt goes in, and what hooks add to it waits in hands.notes. Else why it does not; people have
// been told.
std::string prompt_refused(Agent& agent, const Submit& input, std::stop_token stop);

struct StopHooks {
  int blocks = 0;  // in a row, in this turn
  static constexpr int most_blocks = 8;
};
// What the model shall do before the turn may end; empty: it ends.
std::string goes_on_for(Agent& agent, StopHooks& state, const std::string& last_words, std::stop_token stop);

}  // namespace tern
