// The names of the themes, for those who do not draw.
#pragma once

#include <string>
#include <vector>

namespace tern {

std::vector<std::string> theme_names();

}  // namespace tern
