// The items of the context as a person sees them who wants to take some out.
#pragma once

#include <vector>

#include "agent/compactor/meters.h"
#include "agent/store/store.h"
#include "compression/plan/by_hand.h"

namespace tern {

// What a hand has taken out as a whole and nothing has brought back, oldest first. Items of the log, in pairs
// of call and result.
std::vector<ItemPtr> dropped_items(const Store& store, const Conversation& standing);

// The largest first, then what was dropped; in the tokens of the meters.
ListShown context_items(const Context& context, const Store& store);

}  // namespace tern
