#include "app/cli/brought_flags.h"

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "agent/mcp/server_entry.h"
#include "app/cli/mcp_command.h"
#include "app/session/session_mcp.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 1u << 20;

McpServers servers_of_plugin(const fs::path& plugin) {
  const fs::path file = plugin / ".mcp.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kLargestFile) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string root = plugin.string();
  const Variables variables = [&](const std::string& name) {
    return name == "CLAUDE_PLUGIN_ROOT" ? root.c_str() : process_variables()(name);
  };
  return read_mcp_servers(text, file, McpScope::user, variables);
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
    if (!options.strict_mcp) lists.push_back(servers_of_plugin(plugin));
  }
  setup.mcp = merge_mcp_servers(std::move(lists));
}

}  // namespace tern
