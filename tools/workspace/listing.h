// A directory as text, for LS and for Read of a directory.
#pragma once

#include <string>
#include <vector>

#include "tools/workspace/workspace.h"

namespace tern {

struct Listing {
  std::string text, error;
  std::size_t entries = 0;
};

// One level: directories first, with "/" behind the name; sizes of files; names matching `ignore` (globs)
// left out.
Listing list_directory(const Workspace& workspace, const Place& place,
                       const std::vector<std::string>& ignore = {});

}  // namespace tern
