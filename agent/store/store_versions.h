// The tables, version by version.
#pragma once

#include <vector>

namespace tern {

// migrations()[n] is the SQL that takes a file of version n to n + 1.
const std::vector<const char*>& migrations();

}  // namespace tern
