// What a rule of the user says about calls.
#pragma once

#include <string>

namespace tern {

struct PermissionRule {
  enum class Kind { allow, ask, deny } kind = Kind::ask;
  std::string tool;    // "Bash", "Edit", "*"
  std::string spec;    // "npm run test:*", "src/**"; empty = every call
  std::string source;  // "config.json", "this session": named in the reason
};

}  // namespace tern
