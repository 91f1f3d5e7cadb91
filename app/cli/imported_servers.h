// The MCP servers in a file of another agent (Claude Code, Codex, Gemini CLI, opencode, Crush) as entries of
// ours: variables, timeouts and names mean the same afterwards. Pure.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

struct ImportedServers {
  std::vector<std::pair<std::string, nlohmann::json>> entries;
  std::vector<std::string> notes;  // what could not be taken over as it is, ready to read
};

// `folder` picks what the file says of one project.
ImportedServers imported_servers(std::string_view text, const std::filesystem::path& file,
                                 const std::filesystem::path& folder);

}  // namespace tern
