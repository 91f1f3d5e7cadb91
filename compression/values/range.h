// A stretch that the person picked (/compact --from, --to): where it lies, and any strategy held to it.
#pragma once

#include "compression/values/strategy.h"

namespace tern {

// Positions of a range, widened so that it begins with a message of the user and parts no call from its
// result. An end that is not there, as in "from here on", is the nearest message inside. Empty when nothing
// of it stands.
struct Stretch {
  std::size_t first = 0, end = 0;
};
Stretch stretch_of(const std::vector<ItemPtr>& items, ItemRange range);

// What the strategy would do if everything outside the range were pinned, towards the usual share
// (compactTarget) of what lies inside. No edit touches an item outside; protected items inside stay as ever.
Edits propose_within(const Strategy& strategy, const Conversation& conversation, const Budget& budget,
                     ItemRange range);

}  // namespace tern
