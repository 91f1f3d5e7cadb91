// The arguments of a call as what was said in them: a key of JSON is the tool's word, not the model's.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// The same text, at the same places, with spaces for the keys. Text that is no JSON, or was cut, stays as far
// as it holds none.
std::string without_keys(std::string_view arguments);

}  // namespace tern
