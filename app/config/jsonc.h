// JSON as people write it in a file of settings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tern {

// JSON with // and /* */ comments and trailing commas; discarded when it is none, `why` tells the line.
nlohmann::json parse_jsonc(std::string_view text, std::string& why);

}  // namespace tern
