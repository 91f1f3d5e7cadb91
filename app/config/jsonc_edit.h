// One value of a JSON text with comments, changed in place: comments, order and blanks of the rest stay as
// they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern {

// `path` names the member from the outermost object inwards. A member that is missing is added at the end of
// its object, objects that are missing around it too; "null" takes it out. The text must be one object, or
// empty.
std::string set_jsonc(std::string_view text, const std::vector<std::string>& path, std::string_view value);
// Whether the object holds a member at the path.
bool has_jsonc(std::string_view text, const std::vector<std::string>& path);

}  // namespace tern
