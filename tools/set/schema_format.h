// The values of "format" in a JSON schema: dates and times, addresses, identifiers. Pure.
#pragma once

#include <string_view>

namespace tern {

// A format of any other name holds for every text.
bool has_format(std::string_view text, std::string_view format);

}  // namespace tern
