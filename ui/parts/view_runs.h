// Reads and searches without anything between them become a run, which the first of them stands for.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/parts/view_state.h"

namespace tern {

// Of those without anything between them one row tells, as long as they are folded.
bool may_explore(const Cell& cell);
// The run around cells[at], which has just come or changed.
void regroup(std::vector<Cell>& cells, std::size_t at);

// The newest outputs, 8 MB of them, stay whole; of older ones with a recall id the two ends: a day of large
// results would fill the memory.
void bound_outputs(std::vector<Cell>& cells);

}  // namespace tern
