// Files as the addresses that protocols name them by.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tern {

std::string file_uri(const std::filesystem::path& path);

// The path of "file:///a%20b"; empty for every other address.
std::string path_of_uri(std::string_view uri);

}  // namespace tern
