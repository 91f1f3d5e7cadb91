// Whether git tracks anything below a folder, read from the index itself: no git is run in a folder nobody
// trusts yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace tern {

// False also when there is no repository, or no index that can be read.
bool tracked_by_git(const std::filesystem::path& folder);

struct TrackedFile {
  std::filesystem::path path;                            // absolute
  std::uint32_t seconds = 0, nanoseconds = 0, size = 0;  // of the file when git last looked
};
using TrackedWanted = std::function<bool(const TrackedFile&)>;

// Whether git tracks a wanted file: `path` itself or below it; or anywhere in the repository that `path` is
// in.
bool any_tracked(const std::filesystem::path& path, const TrackedWanted& wanted);
bool any_tracked_above(const std::filesystem::path& path, const TrackedWanted& wanted);

}  // namespace tern
