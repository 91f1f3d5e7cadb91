// What a rule of the user says about calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/protocol/query.h"
#include "tools/set/tool.h"

namespace tern {

// Where a rule can be changed: by hand in a configuration or a flag, in the session, in what is kept for the
// project. One of a command ends with it.
enum class RuleOrigin { written, session, project, command };
std::string_view to_string(RuleOrigin origin);

struct PermissionRule {
  using Kind = RuleKind;
  Kind kind = Kind::ask;
  std::string tool;    // "Bash", "Edit", "*"
  std::string spec;    // "npm run test:*", "src/**"; empty = every call
  std::string source;  // "config.json", "this session": named in the reason
  RuleOrigin origin = RuleOrigin::written;
};

// ---- how rules meet calls

// A rule on Edit or Write speaks for every tool that writes, one on Read for every tool that reads; any other
// for its own tool.
bool rule_is_for(const PermissionRule& rule, std::string_view tool, EffectSet effects);
// For allowing: these words exactly, or beginning with the rule's words.
bool rule_covers_words(const PermissionRule& rule, const std::vector<std::string>& words);
// For denying and asking: also by the bare program name and with "*" anywhere.
bool rule_hits_words(const PermissionRule& rule, std::vector<std::string> words);

}  // namespace tern
