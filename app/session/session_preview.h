// Other sessions, to look at before one is resumed: how one of this project ended, and which there are in
// other folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/protocol/event.h"

namespace tern {

// Its last prompts and answers as a page; `folder` holds the project's store. Opens nothing for writing.
Page session_preview(const std::filesystem::path& folder, const std::string& id);
// The newest of each folder but `here`, with the command that resumes it. Opens nothing for writing.
Page sessions_elsewhere(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& here);

}  // namespace tern
