// A message that is streamed again from its start.
#pragma once

#include "ui/parts/view_state.h"

namespace tern {

// Empties the cells of the message under way; the new stream fills them.
void forget_streamed(ViewState& view);

}  // namespace tern
