// The end of tier 4: what must stay is larger than the window, so it is cut itself, the least needed first.
#pragma once

#include "compression/edit.h"

namespace tern {

// Results cut harder, then old rounds, long texts, old user messages, at last pins. Always ends within the target, unless
// the system messages alone are above it.
Edits squeeze(const Conversation& conversation, Tokens target);

}  // namespace tern
