// Runs a tool as the session does: it is shown copies, and what it returns is applied when it has ended.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/files/tool_changes.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/tool.h"
#include "tools/workspace/workspace.h"

namespace tern::test {

// What a session would own.
struct ToolOwner {
  Workspace& workspace;
  FileMemory& files;
  Journal& journal;
  Jobs& jobs;
  std::vector<TodoItem>& todos;
};

inline ToolOutput call_tool(const Tool& tool, const nlohmann::json& args, const ToolOwner& owner,
                            const std::string& call_id, const Sandbox& sandbox,
                            const std::function<void(ToolContext&)>& more) {
  const Workspace workspace = owner.workspace;
  const FileMemory files = owner.files;
  ToolChanges changes;
  ToolContext ctx{.workspace = workspace,
                  .files = files,
                  .jobs = owner.jobs,
                  .sandbox = sandbox,
                  .changes = changes,
                  .stop = {},
                  .call_id = call_id,
                  .record = [&](FileChange change) { owner.journal.record(std::move(change)); },
                  .leftovers = owner.journal.leftovers()};
  more(ctx);
  owner.journal.settle(owner.workspace, owner.jobs);
  ToolOutput output;
  {
    const Journal::Loan loan(owner.journal);
    ctx.scanner = &loan.scanner();
    output = tool.run(args, ctx);
  }
  apply(std::move(changes), call_id, owner.workspace, owner.files, owner.journal, owner.todos);
  owner.journal.settle(owner.workspace, owner.jobs);
  return output;
}

}  // namespace tern::test
