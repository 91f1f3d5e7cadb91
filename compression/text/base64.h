// The bytes of base64, for what arrives inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// Also the form for addresses; line breaks and padding are passed over. Empty when it is no base64.
std::string from_base64(std::string_view text);

}  // namespace tern
