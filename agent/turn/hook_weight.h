// How hooks and the gate come to one decision on a call.
#pragma once

#include <string>

#include "agent/gate/permission.h"
#include "agent/hooks/hooks.h"

namespace tern {

// What the gate says, weighed with what hooks say: their "ask" is a floor, their "allow" answers a question
// that is not about something destructive, and never a refusal.
Decision weighed(Decision decision, HookWord word, const std::string& reason, const std::string& by);

}  // namespace tern
