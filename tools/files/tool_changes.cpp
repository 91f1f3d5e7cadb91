#include "tools/files/tool_changes.h"

#include "tools/files/journal.h"
#include "tools/workspace/workspace.h"

namespace tern {

void apply(ToolChanges changes, const std::string& call_id, Workspace& workspace, FileMemory& files,
           Journal& journal, std::vector<TodoItem>& todos) {
  if (changes.cwd) workspace.set_cwd(*changes.cwd);
  for (auto& news : changes.files) files.learn(std::move(news));
  for (auto& found : changes.found) journal.record(std::move(found));
  if (changes.background)
    journal.watch(changes.background->job, std::move(changes.background->scan), call_id);
  if (changes.todos) todos = std::move(*changes.todos);
}

}  // namespace tern
