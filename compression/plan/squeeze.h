// The end of tier 4: what must stay is larger than the window, so it is cut itself, the least needed first.
#pragma once

#include "compression/values/context_edit.h"

namespace tern {

// Takes out the thoughts that no provider is ever sent again; pinned messages keep theirs.
Edits without_unsent_thoughts(const Conversation& conversation);

// Results cut harder, then old rounds, thoughts, long texts, old user messages, pins, at last calls beside
// calls. Always ends within the target, unless the system messages and what pinned messages are at their
// shortest are above it.
Edits squeeze(const Conversation& conversation, Tokens target);

}  // namespace tern
