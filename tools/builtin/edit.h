// What Edit and MultiEdit share: several replacements in one file, all of them or none.
#pragma once

#include <string_view>
#include <vector>

#include "tools/files/edit_match.h"

namespace tern {

struct ToolContext;
struct ToolOutput;

ToolOutput edit_file(ToolContext& ctx, std::string_view path, std::vector<EditRequest> edits);

}  // namespace tern
