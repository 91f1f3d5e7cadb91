#include "agent/extend/plugin.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/extend/brought_files.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* description_file = ".claude-plugin/plugin.json";

// The value of `key` in plugin.json; null when it is not there.
json described(const fs::path& plugin, std::string_view key) {
  const json all = json::parse(read_brought({plugin}, description_file), nullptr, false, true);
  const auto found = all.is_object() ? all.find(key) : all.end();
  return found == all.end() ? json() : *found;
}

std::vector<std::string> words_of(const json& value) {
  std::vector<std::string> words;
  const json list = value.is_array() ? value : json::array({value});
  for (const auto& one : list)
    if (one.is_string()) words.push_back(one.get<std::string>());
  return words;
}

// The place inside the plugin; empty when it leads out of it.
fs::path inside(const fs::path& plugin, const std::string& named) {
  std::error_code error;
  const auto place = fs::weakly_canonical(plugin / named, error);
  return !error && is_under(plugin, place) ? place : fs::path();
}

}  // namespace

std::string plugin_name(const fs::path& plugin) {
  const auto names = words_of(described(plugin, "name"));
  return names.empty() || names.front().empty() ? plugin.filename().string() : names.front();
}

std::vector<fs::path> plugin_folders(const fs::path& plugin, std::string_view kind) {
  std::vector<fs::path> folders{plugin / kind};
  for (const auto& named : words_of(described(plugin, kind))) {
    auto folder = inside(plugin, named);
    if (!folder.has_filename()) folder = folder.parent_path();
    const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!folder.empty() && !known) folders.push_back(folder);
  }
  return folders;
}

std::vector<PluginText> plugin_texts(const fs::path& plugin, std::string_view key, const std::string& usual) {
  std::vector<std::string> files{usual};
  std::vector<PluginText> texts;
  const json value = described(plugin, key);
  for (const auto& named : words_of(value)) {
    const auto file = inside(plugin, named);
    const auto relative = file.empty() ? std::string() : file.lexically_relative(plugin).string();
    const bool known = std::find(files.begin(), files.end(), relative) != files.end();
    if (!relative.empty() && !known) files.push_back(relative);
  }
  for (const auto& file : files)
    if (auto text = read_brought({plugin}, file); !text.empty()) texts.push_back({file, std::move(text)});
  if (value.is_object() && !value.empty()) {
    const bool wrapped = value.contains(key);
    texts.push_back({description_file, wrapped ? value.dump() : json{{std::string(key), value}}.dump()});
  }
  return texts;
}

}  // namespace tern
