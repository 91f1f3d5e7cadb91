// How another session of this project ended, to look at before it is resumed.
#pragma once

#include <filesystem>
#include <string>

#include "agent/protocol/event.h"

namespace tern {

// Its last prompts and answers as a page; `folder` holds the project's store. Opens nothing for writing.
Page session_preview(const std::filesystem::path& folder, const std::string& id);

}  // namespace tern
