// The diff that a permission question shows for a call that writes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tern {

class Workspace;

// The one path of a call of a file tool, as Tool::paths wants it: "" when it names none.
std::vector<std::string> path_of_call(const nlohmann::json& args);

// What a call of Edit, MultiEdit or Write would change, as a unified diff of the file as it is now.
std::string change_preview(const nlohmann::json& args, const Workspace& workspace);

}  // namespace tern
