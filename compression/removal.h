// Removal without a summary: whole rounds leave, from the middle or from the oldest, until a target is met.
// System prompt, summaries and protected items stay; calls never lose their results. Prompt cache: gone from the first round removed.
#pragma once

#include "compression/budget.h"
#include "compression/edit.h"

namespace tern {

enum class Removal { middle, oldest };
std::string_view to_string(Removal removal);

// `target` is in estimated tokens of all items. When the protected part alone is above it, all the rest leaves.
Edits remove(const Conversation& conversation, const CompressionConfig& config, Removal how, Tokens target);

// The sliding window of the config: the newest `keep_recent` turns stay whole once there are more than `max_turns`.
Edits slide(const Conversation& conversation, const CompressionConfig& config);

}  // namespace tern
