// Files that the user has open in an editor, with changes that are not saved yet.
#pragma once

#include <optional>
#include <string>

#include "tools/workspace/file.h"

namespace tern {

struct Place;
struct ToolContext;

// The editor's text of a file that was just loaded, where it is another than that on disk. Nothing: there is
// no editor, the file is not open in it, or it is saved.
std::optional<std::string> unsaved_text(const Place& place, const Loaded& loaded, const ToolContext& ctx);

}  // namespace tern
