#include "tools/set/tool_set.h"

#include <algorithm>
#include <utility>

#include "tools/set/args.h"

namespace tern {

namespace {

// Names other agents taught their models, by plain_name().
constexpr std::pair<std::string_view, std::string_view> known_as[] = {
    {"shell", "Bash"},
    {"runshellcommand", "Bash"},
    {"execcommand", "Bash"},
    {"executecommand", "Bash"},
    {"runcommand", "Bash"},
    {"runterminalcmd", "Bash"},
    {"terminal", "Bash"},
    {"exec", "Bash"},
    {"readfile", "Read"},
    {"view", "Read"},
    {"cat", "Read"},
    {"openfile", "Read"},
    {"editfile", "Edit"},
    {"replace", "Edit"},
    {"strreplace", "Edit"},
    {"searchreplace", "Edit"},
    {"strreplaceeditor", "Edit"},
    {"writefile", "Write"},
    {"createfile", "Write"},
    {"create", "Write"},
    {"grepsearch", "Grep"},
    {"search", "Grep"},
    {"ripgrep", "Grep"},
    {"searchfilecontent", "Grep"},
    {"rg", "Grep"},
    {"searchfiles", "Grep"},
    {"find", "Glob"},
    {"findfiles", "Glob"},
    {"filesearch", "Glob"},
    {"listdirectory", "LS"},
    {"listdir", "LS"},
    {"listfiles", "LS"},
    {"list", "LS"},
    {"askuserquestion", "AskUser"},
    {"askquestion", "AskUser"},
    {"askfollowupquestion", "AskUser"},
    {"requestuserinput", "AskUser"},
    {"exitplan", "ExitPlanMode"},
    {"presentplan", "ExitPlanMode"},
    {"updateplan", "TodoWrite"},
    {"writetodos", "TodoWrite"},
    {"todo", "TodoWrite"},
    {"multireplace", "MultiEdit"},
    {"taskoutput", "BashOutput"},
    {"killshell", "KillBash"},
    {"taskstop", "KillBash"},
};

}  // namespace

ToolPtr ToolSet::add(Tool tool) { return add(std::make_shared<const Tool>(std::move(tool))); }

ToolPtr ToolSet::add(ToolPtr tool) {
  for (auto& old : tools_)
    if (old->name == tool->name) return old = tool;
  return tools_.emplace_back(std::move(tool));
}

bool ToolSet::remove(std::string_view name) {
  return std::erase_if(tools_, [&](const ToolPtr& tool) { return tool->name == name; }) > 0;
}

ToolPtr ToolSet::find(std::string_view name) const {
  std::string plain = plain_name(name);
  for (int round = 0; round < 2; ++round) {
    for (const auto& tool : tools_)
      if (plain_name(tool->name) == plain) return tool;
    for (const auto& [alias, real] : known_as)
      if (alias == plain) plain = plain_name(real);
  }
  return behind_ ? behind_(name) : nullptr;
}

ToolPtr ToolSet::with(ToolDuty duty) const {
  for (const auto& tool : tools_)
    if (tool->duty == duty) return tool;
  return nullptr;
}

std::vector<std::string> ToolSet::names() const {
  std::vector<std::string> names;
  for (const auto& tool : tools_) names.push_back(tool->name);
  return names;
}

}  // namespace tern
