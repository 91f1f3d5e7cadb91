// SHA-256: for what must not be mistaken for something else, not even on purpose.
#pragma once

#include <string>
#include <string_view>

namespace tern {

std::string sha256(std::string_view text);  // 64 lower-case hexadecimal digits

}  // namespace tern
