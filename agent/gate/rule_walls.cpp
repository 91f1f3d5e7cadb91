#include "agent/gate/rule_walls.h"

#include <algorithm>

#include "agent/gate/permission_match.h"
#include "tools/workspace/walk.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;

// The folder or file that the rule is for, or each file that its pattern has now.
std::vector<fs::path> places_of(const PermissionRule& rule, const Workspace& workspace) {
  std::string_view spec = rule.spec;
  if (spec.ends_with("/**")) spec.remove_suffix(3);
  std::vector<fs::path> places;
  if (spec.find('/') != spec.npos && spec.find_first_of("*?[{") == spec.npos) {
    const Place where = workspace.locate(spec);
    if (where.exists) places = {where.path, where.real};
    return places;
  }
  const WalkOptions how{.use_ignore = false, .workers = 1, .most = most_files, .stop = {}};
  for (const fs::path& root : workspace.roots())
    walk(root, how, [&](const WalkFile& file) {
      const fs::path path = root / file.path;
      if (matches_path(rule.spec, workspace, path)) places.push_back(path);
      return true;
    });
  return places;
}

}  // namespace

void wall_in(Sandbox& sandbox, const PermissionPolicy& policy, const Workspace& workspace) {
  if (!sandbox.on) return;
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind == PermissionRule::Kind::allow || rule.spec.empty() || rule.tool == "Bash" ||
        rule.tool == "*")
      continue;
    const bool reads = rule_is_for(rule, "Read", Effect::read),
               writes = rule_is_for(rule, "Write", Effect::write);
    if (!reads && (!writes || sandbox.writable.empty())) continue;
    auto& list = reads ? sandbox.hidden : sandbox.read_only;
    for (fs::path& place : places_of(rule, workspace)) list.push_back(std::move(place));
  }
}

}  // namespace tern
