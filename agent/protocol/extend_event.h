// Events about what people bring along: commands, skills, hooks. Part of event.h.
#pragma once

#include <string>
#include <vector>

namespace tern {

struct BroughtCommand {
  std::string name, usage, help;
  std::string source;       // the file it is from, as people know it
  bool of_project = false;  // else it is the user's own
};
struct CommandList {  // all that there are now, in place of those before
  std::vector<BroughtCommand> commands;
};

}  // namespace tern
