// A unified diff of ours as the protocol's content: each hunk with its lines before and after. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tern {

// A list of {"type": "diff", "path", "oldText", "newText"}; a new file has the oldText null. Empty when
// `diff` has no hunk.
nlohmann::json acp_diffs(std::string_view diff, const std::string& path);

// The line in the new file at which the first hunk begins; 0 without one.
std::size_t first_changed_line(std::string_view diff);

}  // namespace tern
