// The sliding window of the config: once there are more than maxTurns turns, the newest keepRecent stay and
// the others slide out together, so that the provider's prompt cache breaks once in many turns. One summary
// by rules stands for all that slid out: the next batch takes an earlier one into its own, unless that one is
// large (a model's), which stays as it is.
#pragma once

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

// The turns leave, without a summary. A summary is no turn, nor is a kept request whose rounds have left.
Edits slide(const Conversation& conversation, const CompressionConfig& config);

// The same with a summary of the person's words and the points above importanceThreshold. Empty while there
// are few enough turns; where a summary would gain nothing the turns just leave.
Edits window_summary(const Conversation& conversation, const Budget& budget, TimePoint now);

}  // namespace tern
