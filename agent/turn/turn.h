// One turn: from what the person typed to the model's last word. Runs on the worker; every way out leaves a
// context that can be sent again. Failure is the returned value; what throws is a fault of ours and is caught
// once, in the session.
#pragma once

#include "agent/turn/agent.h"

namespace tern {

// The words that ask for the rest of an answer that was cut: what the model says next goes on exactly where
// it stopped.
bool asks_for_the_rest(const Item& item);

TurnEnded run_turn(Agent& agent, Submit input, std::stop_token stop);

}  // namespace tern
