#include "app/session/session_lsp.h"

#include <algorithm>
#include <memory>

#include "agent/lsp/lsp_desk.h"
#include "compression/text/figures.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

// Servers look and say; what they write goes into the private folder. A wall they meet is nobody's question.
Sandbox sandbox_of_servers(const std::vector<std::filesystem::path>& roots,
                           const std::filesystem::path& temp) {
  Sandbox sandbox = look_only(sandbox_for(roots, temp, {}, probe_sandbox()));
  sandbox.notices = Notices::none;
  return sandbox;
}

}  // namespace

std::vector<std::string> watch_changes(const SessionSetup& setup, const Workspace& workspace, bool trusted,
                                       ToolEnvironment& hands) {
  if (!trusted || setup.read_only || setup.language_servers == "false") return {};
  LspWorld world;
  std::vector<std::string> problems;
  world.servers = language_servers(setup.language_servers, problems);
  world.root = workspace.root();
  world.search_path = setup.env("PATH");
  world.allowed_env = setup.allowed_env;
  world.version = setup.version;
  const bool walls_needed = setup.language_servers != "true";
  world.sandbox = [roots = workspace.roots(), temp = hands.spill_dir] {
    return sandbox_of_servers(roots, temp);
  };
  world.may_start = [walls_needed] { return !walls_needed || probe_sandbox().rung != SandboxRung::none; };
  const auto desk = std::make_shared<LspDesk>(std::move(world));
  hands.watch.expect = [desk, &own = hands.workspace](const std::string& path) { desk->expect(own, path); };
  hands.watch.changed = [desk](const Workspace& seen, const std::string& path,
                               std::stop_token stop) -> ChangeNews {
    LspNews news = desk->changed(seen, path, stop);
    const auto errors = static_cast<std::int64_t>(news.errors);
    return {std::move(news.text), errors == 0 ? "" : counted(errors, "new error")};
  };
  hands.watch.command = [desk](const std::string& words) { return desk->command(words); };
  const auto& without = setup.without_tools;
  auto tool = diagnostics_tool(desk);
  const bool wanted = std::find(without.begin(), without.end(), tool.name) == without.end();
  if (wanted && desk->useful()) hands.offered.add(std::move(tool));
  return problems;
}

std::string language_server_page(const ToolEnvironment& hands, const std::string& words) {
  if (hands.watch.command) return hands.watch.command(words);
  return "Language servers are off: the folder is not trusted, or the configuration says "
         "\"languageServers\": false.\n";
}

}  // namespace tern
