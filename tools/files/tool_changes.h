// What a call changed of the session, beside the files themselves: the tool fills it on whatever thread it
// runs, and the session's owner applies it when the call has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/files/command_scan.h"
#include "tools/files/file_memory.h"
#include "tools/set/tool.h"

namespace tern {

class Journal;
class Workspace;

struct ToolChanges {
  std::optional<std::filesystem::path> cwd;  // where commands start from now on
  std::vector<FileNews> files;               // what the model was shown
  std::vector<FoundChange> found;            // what a command did to files
  struct Background {
    std::string job;
    Scan scan;
  };
  std::optional<Background> background;  // a command that goes on: its changes are looked for at its end
  std::optional<std::vector<TodoItem>> todos;  // the whole list
};

void apply(ToolChanges changes, const std::string& call_id, Workspace& workspace, FileMemory& files,
           Journal& journal, std::vector<TodoItem>& todos);

}  // namespace tern
