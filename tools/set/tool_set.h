// The tools of a session, a value: the built-in ones stand in it from the start, others come and go while it
// runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/set/tool.h"

namespace tern {

class ToolSet {
 public:
  ToolPtr add(Tool tool);  // takes the place of one of the same name
  ToolPtr add(ToolPtr tool);
  bool remove(std::string_view name);  // a call that runs keeps its tool
  // Asked for a name that no tool here has. What it gives is called, and is not listed here.
  void behind(std::function<ToolPtr(std::string_view name)> find) { behind_ = std::move(find); }
  ToolPtr find(std::string_view name)
      const;  // case-insensitive, known aliases ("shell" → Bash); null when there is none
  ToolPtr with(ToolDuty duty) const;  // the first
  std::vector<std::string> names() const;

  auto begin() const { return tools_.begin(); }  // in the order they were added
  auto end() const { return tools_.end(); }
  std::size_t size() const { return tools_.size(); }

 private:
  std::vector<ToolPtr> tools_;
  std::function<ToolPtr(std::string_view)> behind_;
};

}  // namespace tern
