// Whether git tracks anything below a folder, read from the index itself: no git is run in a folder nobody trusts yet.
#pragma once

#include <filesystem>

namespace tern {

// False also when there is no repository, or no index that can be read.
bool tracked_by_git(const std::filesystem::path& folder);

}  // namespace tern
