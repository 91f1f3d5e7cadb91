#include "app/cli/brought_flags.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "agent/extend/plugin.h"
#include "agent/mcp/server_entry.h"
#include "app/cli/mcp_command.h"
#include "app/session/session_mcp.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

// ${CLAUDE_PLUGIN_ROOT} is filled in beside the variables of the environment.
std::vector<McpServers> servers_of_plugin(const fs::path& plugin) {
  const std::string root = plugin.string();
  const Variables variables = [&](const std::string& name) {
    return name == "CLAUDE_PLUGIN_ROOT" ? root.c_str() : process_variables()(name);
  };
  std::vector<McpServers> lists;
  for (const auto& [source, text] : plugin_texts(plugin, "mcpServers", ".mcp.json"))
    lists.push_back(read_mcp_servers(text, plugin / source, McpScope::user, variables));
  return lists;
}

}  // namespace

void set_brought(const Options& options, const Config& config, SessionSetup& setup, std::string& error) {
  setup.hooks = config.hooks;
  setup.language_servers = config.language_servers;
  set_mcp(options, config, setup, error);
  std::vector<McpServers> lists{std::move(setup.mcp)};
  for (const auto& named : options.plugin_dirs) {
    std::error_code wrong;
    const fs::path plugin = fs::canonical(named, wrong);
    if (wrong || !fs::is_directory(plugin, wrong)) {
      error = "--plugin-dir: there is no folder " + named + ".";
      return;
    }
    setup.plugins.push_back(plugin);
    if (options.strict_mcp) continue;
    for (auto& list : servers_of_plugin(plugin)) lists.push_back(std::move(list));
  }
  setup.mcp = merge_mcp_servers(std::move(lists));
}

}  // namespace tern
