#include "agent/extend/brought_places.h"

#include "agent/extend/plugin.h"

namespace tern {

bool may_use(const BroughtPlaces& places, const BroughtFolder& folder, const std::string& hash) {
  return !folder.of_project() || !places.approved || places.approved(hash);
}

std::vector<BroughtFolder> brought_folders(const BroughtPlaces& places, std::string_view kind) {
  std::vector<const char*> names{".agents", ".claude"};
  if (kind == "commands") names.push_back(".gemini");  // it keeps them in TOML
  std::vector<BroughtFolder> folders;
  for (const auto& project : places.projects)
    for (const char* name : names) folders.push_back({project / name / kind, project});
  if (!places.config.empty()) folders.push_back({places.config / kind});
  if (!places.home.empty())
    for (const char* name : names) folders.push_back({places.home / name / kind});
  for (const auto& plugin : places.plugins)
    for (const auto& folder : plugin_folders(plugin, kind))
      folders.push_back({folder, {}, plugin_name(plugin) + ":"});
  return folders;
}

}  // namespace tern
