// What stands behind the end mark of a paste in the same burst of bytes was pasted, too: no hand is that fast, and text on a
// clipboard may hold the mark itself and a line end behind it. It becomes text; no key of it acts.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/input_parser.h"

namespace tern {

class PasteGuard {
 public:
  // `bytes`: how many the read gave that these inputs were made of; a full read means that more was waiting.
  std::vector<Input> sort(std::vector<Input> inputs, std::size_t bytes);

 private:
  bool guarding_ = false;
};

}  // namespace tern
