#include "agent/permission.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/command_kinds.h"
#include "agent/permission_match.h"

namespace tern {

namespace {

using Kind = PermissionRule::Kind;

std::string path_argument(const nlohmann::json& args) {
  for (const char* key : {"file_path", "notebook_path", "path"})
    if (args.contains(key) && args[key].is_string()) return args[key].get<std::string>();
  return {};
}

const PermissionRule* path_rule(const PermissionPolicy& policy, Kind kind, const PermissionRequest& request, const Place& place) {
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind != kind || !rule_is_for(rule, request.tool.name, request.tool.effect)) continue;
    if (rule.spec.empty() || matches_path(rule.spec, request.workspace, place.path) ||
        matches_path(rule.spec, request.workspace, place.real))
      return &rule;
  }
  return nullptr;
}

// An allow rule must cover both where a path points and where it leads; a link does not carry a grant elsewhere.
const PermissionRule* allowing_rule(const PermissionPolicy& policy, const PermissionRequest& request, const Place& place) {
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind != Kind::allow || !rule_is_for(rule, request.tool.name, request.tool.effect)) continue;
    const bool covers = rule.spec.empty() ? place.inside
                                          : matches_path(rule.spec, request.workspace, place.path) &&
                                                matches_path(rule.spec, request.workspace, place.real);
    if (covers) return &rule;
  }
  return nullptr;
}

// "…/**" for the directory of the path, as a rule and for people.
void offer_directory(Ask& ask, const char* tool, const PermissionRequest& request, const Place& place) {
  if (!place.protect.empty() || place.through_link) return;
  const std::filesystem::path directory = place.real.parent_path();
  std::string spec = directory.string() + "/**";
  if (is_under(request.workspace.root(), directory)) {
    const std::string relative = directory.lexically_relative(request.workspace.root()).string();
    spec = relative == "." ? "**" : relative + "/**";
  }
  if (directory == "/") return;
  ask.grants.push_back({Kind::allow, tool, spec, "this session"});
  ask.remember = grant_text(ask.grants);
}

Decision decide_read(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode) {
  const std::string path = path_argument(request.args);
  const Place place = path.empty() ? request.workspace.locate(request.workspace.cwd().string()) : request.workspace.locate(path);
  if (!place.error.empty()) return Allow{"the tool will say what is wrong with the path"};
  if (const PermissionRule* rule = path_rule(policy, Kind::deny, request, place))
    return Deny{"refused by the rule " + to_string(*rule)};
  if (const PermissionRule* rule = path_rule(policy, Kind::ask, request, place))
    return Ask{"asked for by the rule " + to_string(*rule), {}, {}, {}};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  const bool secret = holds_secrets(place, request.workspace);
  if (place.inside && !secret) return Allow{"inside the workspace"};
  if (const PermissionRule* rule = allowing_rule(policy, request, place); rule != nullptr && (!secret || !rule->spec.empty()))
    return Allow{"allowed by the rule " + to_string(*rule), true};
  Ask ask{secret ? request.workspace.display(place.path) + " may hold secrets"
                 : request.workspace.display(place.real) + " is outside the workspace",
          {},
          {},
          {}};
  if (!secret) offer_directory(ask, "Read", request, place);
  return ask;
}

Decision decide_write(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode) {
  const Place place = request.workspace.locate(path_argument(request.args));
  const std::string shown = request.workspace.display(place.real);
  if (mode == PermissionMode::plan) return Deny{"plan mode only looks: nothing is written"};
  if (!place.error.empty()) return Allow{"the tool will say what is wrong with the path"};
  if (const PermissionRule* rule = path_rule(policy, Kind::deny, request, place))
    return Deny{"refused by the rule " + to_string(*rule)};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  if (!place.protect.empty()) return Ask{shown + " is protected: " + place.protect, {}, {}, {}};
  if (const PermissionRule* rule = path_rule(policy, Kind::ask, request, place))
    return Ask{"asked for by the rule " + to_string(*rule), {}, {}, {}};
  if (const PermissionRule* rule = allowing_rule(policy, request, place))
    return Allow{"allowed by the rule " + to_string(*rule), true};
  if (place.inside && (mode == PermissionMode::accept_edits || mode == PermissionMode::automatic))
    return Allow{"edits in the workspace are accepted"};
  Ask ask{
      place.inside ? "it writes " + shown : shown + " is outside the workspace" + (place.through_link ? ", behind a link" : ""),
      {},
      {},
      {}};
  if (place.inside) offer_directory(ask, "Edit", request, place);
  return ask;
}

Decision decide_other(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode) {
  const auto find = [&](Kind kind) -> const PermissionRule* {
    for (const PermissionRule& rule : policy.rules)
      if (rule.kind == kind && rule_is_for(rule, request.tool.name, request.tool.effect) && rule.spec.empty()) return &rule;
    return nullptr;
  };
  if (const PermissionRule* rule = find(Kind::deny)) return Deny{"refused by the rule " + to_string(*rule)};
  if (request.tool.effect == Effect::context) return Allow{"it touches only the conversation"};
  if (mode == PermissionMode::plan) return Deny{"plan mode only looks"};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  if (const PermissionRule* rule = find(Kind::allow)) return Allow{"allowed by the rule " + to_string(*rule), true};
  return Ask{std::string(request.tool.name) + " runs something", {}, {}, {}};
}

}  // namespace

PermissionMode effective_mode(const PermissionPolicy& policy, std::string& why_not) {
  why_not.clear();
  if (policy.mode == PermissionMode::bypass && !policy.bypass_by_flag)
    why_not = "bypass mode is only for a program started with its flag";
  if (policy.mode == PermissionMode::automatic && !policy.sandbox_ready)
    why_not = "auto mode needs the sandbox, and there is none: " +
              (policy.sandbox_why.empty() ? std::string("it is off") : policy.sandbox_why);
  return why_not.empty() ? policy.mode : PermissionMode::ask;
}

Decision decide(const PermissionPolicy& policy, const PermissionRequest& request) {
  std::string why;
  const PermissionMode mode = effective_mode(policy, why);
  if (request.tool.name == "Bash") return decide_command(policy, request.args.value("command", std::string()), request.workspace);
  if (request.tool.effect == Effect::read) return decide_read(policy, request, mode);
  if (request.tool.effect == Effect::write) return decide_write(policy, request, mode);
  return decide_other(policy, request, mode);
}

}  // namespace tern
