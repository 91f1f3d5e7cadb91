// May this tool call run? A pure answer from the mode, the rules and the call itself; every answer carries its reason.
// Order: plan mode and deny rules, then the destructive gate and protected paths (no mode and no rule gets past these
// unasked), ask rules, the mode, allow rules, and what is known to be harmless. Anything else asks.
// The sandbox is the boundary; this gate decides what is worth a question.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/event.h"
#include "tools/tool.h"

namespace tern {

struct PermissionRule {
  enum class Kind { allow, ask, deny } kind = Kind::ask;
  std::string tool;    // "Bash", "Edit", "*"
  std::string spec;    // "npm run test:*", "src/**"; empty = every call
  std::string source;  // "config.json", "this session": named in the reason
};

struct Allow {
  std::string reason;
  bool granted = false;    // by a rule or the bypass mode: may touch what lies outside (ToolContext::granted)
  bool sandboxed = false;  // run it inside the sandbox
};
struct Deny {
  std::string reason;  // for the model and the person
};
struct Ask {
  std::string reason;
  std::string remember;                // exactly what "yes, and remember" would grant, for people; empty = not offered
  std::vector<PermissionRule> grants;  // the same as rules, to be added when the person says so
  std::vector<std::string> targets;    // what a destructive command would really hit
};
using Decision = std::variant<Allow, Deny, Ask>;

struct PermissionPolicy {
  PermissionMode mode = PermissionMode::ask;
  std::vector<PermissionRule> rules;
  bool bypass_by_flag = false;  // bypass holds only when the person gave the flag
  bool sandbox_ready = false;   // automatic holds only with it
  std::string sandbox_why;      // why it is not
  // Where a program name leads; empty = not found. Default: PATH of this process.
  std::function<std::filesystem::path(std::string_view)> find_program;
};

struct PermissionRequest {
  const Tool& tool;
  const nlohmann::json& args;  // checked by parse_args
  const Workspace& workspace;
};

Decision decide(const PermissionPolicy& policy, const PermissionRequest& request);
// The Bash part alone, also for "/permissions test" and the corpora.
Decision decide_command(const PermissionPolicy& policy, std::string_view command, const Workspace& workspace);

// "Tool(spec)" or "Tool". On failure nothing, and `error` says what is wrong (also: a prefix that would grant an interpreter).
bool parse_rule(std::string_view text, PermissionRule::Kind kind, std::string source, PermissionRule& rule, std::string& error);
std::string to_string(const PermissionRule& rule);  // for people: kind, rule and where it is from
std::string rule_text(const PermissionRule& rule);  // "Tool(spec)", as parse_rule reads it
// What grants allow from now on, in words: "any command that begins with `npm test` or with `make`".
std::string grant_text(const std::vector<PermissionRule>& grants);
bool matches_path(std::string_view pattern, const Workspace& workspace, const std::filesystem::path& path);

// The mode that really holds, with the reason when it is not the one asked for (no flag, no sandbox).
PermissionMode effective_mode(const PermissionPolicy& policy, std::string& why_not);

}  // namespace tern
