// Reads and searches without anything between them become a run, which the first of them stands for.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/parts/view.h"

namespace tern {

// The run around cells[at], which has just come or changed.
void regroup(std::vector<Cell>& cells, std::size_t at);

}  // namespace tern
