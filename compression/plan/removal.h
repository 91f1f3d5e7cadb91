// Removal without a summary: whole rounds leave, from the middle or from the oldest, until a target is met.
// System prompt, summaries and protected items stay; calls never lose their results. Prompt cache: gone from
// the first round removed.
#pragma once

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

enum class Removal { middle, oldest };
std::string_view to_string(Removal removal);

// `target` is in estimated tokens of all items. When the protected part alone is above it, all the rest
// leaves.
Edits remove(const Conversation& conversation, const CompressionConfig& config, Removal how, Tokens target);

// What a removal strategy comes down to: the goal of any compaction at the usual `targetRatio` of a half,
// more or less by another.
Tokens removal_goal(const Budget& budget);

}  // namespace tern
