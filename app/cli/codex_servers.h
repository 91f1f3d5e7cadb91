// The MCP servers of a Codex configuration (TOML), as entries of ours.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace tern {

// An object of entries by name: of "[mcp_servers.NAME]" and what belongs to it. Reads the TOML that people
// write there: tables, strings, numbers, lists, inline tables; it ends at what it does not understand.
nlohmann::json codex_servers(std::string_view toml);

}  // namespace tern
