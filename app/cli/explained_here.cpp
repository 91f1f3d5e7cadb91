#include "app/cli/explained_here.h"

#include <filesystem>
#include <utility>

#include "agent/gate/explain_command.h"
#include "app/session/session_tools.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {

std::string explained_here(Config& config, const std::string& folder, const std::string& command) {
  std::error_code ignored;
  const Workspace workspace(folder.empty() ? std::filesystem::current_path(ignored)
                                           : std::filesystem::path(folder));
  PermissionPolicy policy;
  policy.rules = permission_rules(config, session_tools(), config.problems);
  const SandboxSupport& support = probe_sandbox();
  Sandbox sandbox;
  sandbox.rung = support.rung;
  sandbox.writable = workspace.roots();
  policy.sandbox_ready = support.rung != SandboxRung::none;
  policy.repository_ready = can_open_repository(sandbox);
  return explain_command(std::move(policy), command, workspace);
}

}  // namespace tern
