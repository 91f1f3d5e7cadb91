#include "agent/gate/permission.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/gate/command_kinds.h"

namespace tern {

namespace {

using Kind = PermissionRule::Kind;

const PermissionRule* path_rule(const PermissionPolicy& policy, Kind kind, const PermissionRequest& request,
                                const Place& place) {
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind != kind || !rule_is_for(rule, request.tool.name, request.tool.effects)) continue;
    if (rule.spec.empty() || matches_path(rule.spec, request.workspace, place.path) ||
        matches_path(rule.spec, request.workspace, place.real))
      return &rule;
  }
  return nullptr;
}

// An allow rule must cover both where a path points and where it leads; a link does not carry a grant
// elsewhere.
const PermissionRule* allowing_rule(const PermissionPolicy& policy, const PermissionRequest& request,
                                    const Place& place) {
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind != Kind::allow || !rule_is_for(rule, request.tool.name, request.tool.effects)) continue;
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

std::string why_asked(EffectSet effects) {
  if (effects.has(Effect::network)) return " reaches the network";
  return effects.only(Effect::read) ? " may reach anything" : " runs something";
}

constexpr std::string_view domain_mark = "domain:";

// "domain:example.com" covers the host and what lies below it.
bool covers_host(const PermissionRule& rule, const std::string& host) {
  if (rule.spec.empty()) return true;
  const std::string_view domain =
      std::string_view(rule.spec).substr(std::min(domain_mark.size(), rule.spec.size()));
  return rule.spec.starts_with(domain_mark) && !domain.empty() &&
         (host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.'));
}

// What a tool reaches that names no files is only known to itself, but for the host it names.
Decision decide_other(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode) {
  const std::string host = request.tool.host ? request.tool.host(request.args) : std::string();
  const auto find = [&](Kind kind) -> const PermissionRule* {
    for (const PermissionRule& rule : policy.rules)
      if (rule.kind == kind && rule_is_for(rule, request.tool.name, request.tool.effects) &&
          covers_host(rule, host))
        return &rule;
    return nullptr;
  };
  if (const PermissionRule* rule = find(Kind::deny)) return Deny{"blocked by the rule " + to_string(*rule)};
  if (request.tool.effects.only(Effect::context)) return Allow{"changes only the conversation"};
  const PermissionRule* asks = find(Kind::ask);
  if (request.tool.vouched && asks == nullptr) return Allow{"a server you trust says it only reads"};
  const bool looks = request.tool.host && !request.tool.effects.has(Effect::write) &&
                     !request.tool.effects.has(Effect::execute);
  if (mode == PermissionMode::plan && !looks) return Deny{"plan mode is read-only"};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  if (asks != nullptr) return Ask{"this rule asks first: " + to_string(*asks), {}, {}, {}};
  if (const PermissionRule* rule = find(Kind::allow))
    return Allow{"allowed by the rule " + to_string(*rule), true};
  Ask ask{
      host.empty() ? request.tool.name + why_asked(request.tool.effects) : "connects to " + host, {}, {}, {}};
  ask.grants.push_back({Kind::allow, request.tool.name, host.empty() ? host : std::string(domain_mark) + host,
                        "this session"});
  ask.remember = grant_text(ask.grants);
  return ask;
}

Decision decide_read(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode,
                     const std::string& path) {
  const Place place = path.empty() ? request.workspace.locate(request.workspace.cwd().string())
                                   : request.workspace.locate(path);
  if (!place.error.empty()) return Allow{"the tool reports what is wrong with the path"};
  if (const PermissionRule* rule = path_rule(policy, Kind::deny, request, place))
    return Deny{"blocked by the rule " + to_string(*rule)};
  if (const PermissionRule* rule = path_rule(policy, Kind::ask, request, place))
    return Ask{"this rule asks first: " + to_string(*rule), {}, {}, {}};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  const bool secret = holds_secrets(place, request.workspace);
  if (place.inside && !secret) return Allow{"inside the workspace"};
  if (const PermissionRule* rule = allowing_rule(policy, request, place);
      rule != nullptr && (!secret || !rule->spec.empty()))
    return Allow{"allowed by the rule " + to_string(*rule), true};
  Ask ask{secret ? request.workspace.display(place.path) + " may hold secrets"
                 : request.workspace.display(place.real) + " is outside the workspace",
          {},
          {},
          {}};
  if (!secret) offer_directory(ask, "Read", request, place);
  return ask;
}

Decision decide_write(const PermissionPolicy& policy, const PermissionRequest& request, PermissionMode mode,
                      const std::string& path) {
  const Place place = request.workspace.locate(path);
  const std::string shown = request.workspace.display(place.real);
  if (mode == PermissionMode::plan) return Deny{"plan mode is read-only"};
  if (!place.error.empty()) return Allow{"the tool reports what is wrong with the path"};
  if (const PermissionRule* rule = path_rule(policy, Kind::deny, request, place))
    return Deny{"blocked by the rule " + to_string(*rule)};
  if (mode == PermissionMode::bypass) return Allow{"bypass mode", true};
  if (!place.protect.empty()) return Ask{shown + " is protected: " + place.protect, {}, {}, {}};
  if (const PermissionRule* rule = path_rule(policy, Kind::ask, request, place))
    return Ask{"this rule asks first: " + to_string(*rule), {}, {}, {}};
  if (const PermissionRule* rule = allowing_rule(policy, request, place))
    return Allow{"allowed by the rule " + to_string(*rule), true};
  if (place.inside && (mode == PermissionMode::accept_edits || mode == PermissionMode::automatic))
    return Allow{"edits in the workspace are accepted"};
  Ask ask{place.inside ? "writes " + shown
                       : shown + " is outside the workspace" + (place.through_link ? ", behind a link" : ""),
          {},
          {},
          {}};
  if (place.inside) offer_directory(ask, "Edit", request, place);
  return ask;
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
  const Tool& tool = request.tool;
  if (tool.command) return decide_command(policy, tool.command(request.args), request.workspace);
  const bool files_only = !tool.effects.has(Effect::execute) && !tool.effects.has(Effect::network);
  if (!tool.paths || !files_only) return decide_other(policy, request, mode);
  Decision worst = Allow{"names no file"};
  for (const std::string& path : tool.paths(request.args)) {
    auto one = tool.effects.has(Effect::write) ? decide_write(policy, request, mode, path)
                                               : decide_read(policy, request, mode, path);
    if (std::holds_alternative<Deny>(one)) return one;
    if (!std::holds_alternative<Ask>(worst)) worst = std::move(one);
  }
  return worst;
}

}  // namespace tern
