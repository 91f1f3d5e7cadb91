// Acting on cells of the transcript view: they are dropped, folded, pinned, brought back or summarized where
// they are read.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "ui/terminal/input_parser.h"

namespace tern {

struct Shell;

struct PickedCells {
  std::uint64_t cell = 0;          // the one the keys are at, by its id
  std::set<std::uint64_t> marked;  // together with others
};

void begin_picking(Shell& shell);
void end_picking(Shell& shell);
void picking_key(Shell& shell, const KeyPress& press);
std::string about_picked(const Shell& shell);  // "r17 Read a.cpp · ~1.2k tokens · 2 marked: 78k → 62k"

}  // namespace tern
