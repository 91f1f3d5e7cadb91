// Which cells stand for what has left the context, or was shortened there.
#pragma once

#include <vector>

#include "ui/parts/view_state.h"

namespace tern {

// Marks the originals a compaction touched, or takes the mark off where it was undone.
void mark_left(std::vector<Cell>& cells, const Compaction& compaction);

}  // namespace tern
