// Pictures kept in tests/golden/. A missing or different picture fails and shows both; TERN_UPDATE_GOLDEN=1
// writes them anew.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// Empty when equal; else what to print.
std::string golden_difference(std::string_view name, std::string_view picture);

}  // namespace tern
