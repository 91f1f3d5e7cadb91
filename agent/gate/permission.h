// May this tool call run, and how far may it reach? A pure answer from the mode, the rules and the call
// itself; every answer carries its reason. Deny rules come first in every mode. Bypass then asks only before
// what would take everything. The other modes ask before destructive work, protected paths, keys, what a rule
// asks about, and what a command is known to need that its sandbox does not give: in ask mode any change, in
// accept edits the network, .git and places outside, in auto not .git. What is left runs in a sandbox.
// Without one, only what is known to look or is allowed by a rule runs unasked. The sandbox is the boundary;
// this gate decides what is worth a question.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/gate/permission_rule.h"
#include "agent/protocol/event.h"
#include "tools/set/tool_set.h"

namespace tern {

// How far an allowed command reaches: as far as the person, or no further than a sandbox lets it.
enum class Reach {
  own_rights,
  look,  // known to look: reads everything but key places, writes only its private temporary folder, has no
         // network
  try_looking,  // not known to write: the same, and keys in the workspace are hidden; where it meets a wall
                // the person is asked
  workspace,    // writes in the workspace, but for its protected paths
  repository,   // … and in .git, but for its hooks, its settings and what leads to them
};

struct Allow {
  std::string reason;
  bool granted = false;  // by a rule or the bypass mode: may touch what lies outside (ToolContext::granted)
  Reach reach = Reach::own_rights;
};
struct Deny {
  std::string reason;  // for the model and the person
};
struct Ask {
  std::string reason;
  std::string remember;  // exactly what "yes, and remember" would grant, for people; empty = not offered
  std::vector<PermissionRule> grants;      // the same as rules, to be added when the person says so
  std::vector<std::string> targets;        // what a destructive command would really hit
  bool danger = false;                     // it is destructive
  std::vector<PermissionRule> exact = {};  // offered beside them: this command, word for word
};
using Decision = std::variant<Allow, Deny, Ask>;

struct PermissionPolicy {
  PermissionMode mode = PermissionMode::ask;
  std::vector<PermissionRule> rules;
  bool bypass_by_flag = false;    // bypass holds only when the person gave the flag
  bool sandbox_ready = false;     // commands can run in one; automatic holds only with it
  bool repository_ready = false;  // … also with .git writable
  std::string sandbox_why;        // why it is not
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

// "Tool(spec)" or "Tool", of these tools or of a server's (mcp__server__tool). On failure nothing, and
// `error` says what is wrong (also: a prefix that would grant an interpreter).
bool parse_rule(const ToolSet& tools, std::string_view text, PermissionRule::Kind kind, std::string source,
                PermissionRule& rule, std::string& error);
std::string to_string(const PermissionRule& rule);  // for people: kind, rule and where it is from
std::string rule_text(const PermissionRule& rule);  // "Tool(spec)", as parse_rule reads it
// What grants allow from now on, in words: "any command that begins with `npm test` or with `make`".
std::string grant_text(const std::vector<PermissionRule>& grants);
// The rule for exactly this command, to be offered; none where it would be read as more than it says.
std::vector<PermissionRule> word_for_word(std::string_view command);
// The first host that a command names, in a URL or as "user@host:"; empty: none.
std::string host_in(std::string_view command);
bool matches_path(std::string_view pattern, const Workspace& workspace, const std::filesystem::path& path);

// The mode that really holds, with the reason when it is not the one asked for (no flag, no sandbox).
PermissionMode effective_mode(const PermissionPolicy& policy, std::string& why_not);

}  // namespace tern
