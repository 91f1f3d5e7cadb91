// Small files of the person's own state directory: written whole and for the owner only, believed only when
// nobody else could have written them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tern {

// Atomically, 0600, with the folders on the way. Empty on success.
std::string write_private_file(const std::filesystem::path& file, std::string_view text);
// A regular file of ours that group and others may not write.
bool is_private_file(const std::filesystem::path& file);

}  // namespace tern
