// What a rule of the user says about calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/set/tool.h"

#include "agent/protocol/query.h"

namespace tern {

struct PermissionRule {
  using Kind = RuleKind;
  Kind kind = Kind::ask;
  std::string tool;    // "Bash", "Edit", "*"
  std::string spec;    // "npm run test:*", "src/**"; empty = every call
  std::string source;  // "config.json", "this session": named in the reason
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
