// The folder of a Claude plugin: its name, and where it has what. Its .claude-plugin/plugin.json may name
// places beside the usual ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// As its description calls it, else as its folder is called.
std::string plugin_name(const std::filesystem::path& plugin);

// The folders with its "commands", "skills" or "agents", all inside the plugin.
std::vector<std::filesystem::path> plugin_folders(const std::filesystem::path& plugin, std::string_view kind);

struct PluginText {
  std::string source;  // "hooks/hooks.json", without the plugin's folder
  std::string text;    // a JSON object that holds the entries under `key`
};
// The entries under `key` ("hooks", "mcpServers") of its usual file, of files that the description names, and
// of the description itself.
std::vector<PluginText> plugin_texts(const std::filesystem::path& plugin, std::string_view key,
                                     const std::string& usual);

}  // namespace tern
