// Whether git tracks anything below a folder, read from the index itself: no git is run in a folder nobody trusts yet.
#pragma once

#include <filesystem>
#include <functional>

namespace tern {

// False also when there is no repository, or no index that can be read.
bool tracked_by_git(const std::filesystem::path& folder);

// Whether git tracks a file, `path` itself or below it, whose absolute path is `wanted`.
bool any_tracked(const std::filesystem::path& path, const std::function<bool(const std::filesystem::path&)>& wanted);

}  // namespace tern
