// Where a program is that tern may use when it is installed.
#pragma once

#include <string>

namespace tern {

std::string find_program(const char* name);  // whole path, by PATH; empty: it is not installed

}  // namespace tern
