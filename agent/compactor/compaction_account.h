// Describes a compaction for the user. It is the content of the record when no model wrote a summary.
#pragma once

#include <string>
#include <vector>

#include "compression/values/context_edit.h"

namespace tern {

// The messages of the context that the edits change or take away.
std::vector<ItemPtr> targets(const Conversation& conversation, const Edits& edits);

// A readable account: what was shortened and removed, then what the conversation had been about (requests,
// changes, failures, tools).
std::string account_of(const Conversation& before, const Edits& edits);

}  // namespace tern
