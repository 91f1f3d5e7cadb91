// Where the things that people bring along are looked for. A project's folders are listed only once the
// project is trusted.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/extend/brought_files.h"

namespace tern {

struct BroughtPlaces {
  std::vector<std::filesystem::path> projects;      // trusted ones, the nearest first; empty before trust
  std::filesystem::path home, config;               // ~ and ~/.config/tern
  std::vector<std::filesystem::path> plugins = {};  // folders of Claude plugins that the user named
  // Whether an entry of a project may be used, by its hash; not set: all may.
  std::function<bool(const std::string& hash)> approved = {};
};
// False for an entry of a project that waits for the user or was refused.
bool may_use(const BroughtPlaces& places, const BroughtFolder& folder, const std::string& hash);

// The project's before the user's, in the order in which the first of a name wins. `kind` is "commands" or
// "skills".
std::vector<BroughtFolder> brought_folders(const BroughtPlaces& places, std::string_view kind);

}  // namespace tern
