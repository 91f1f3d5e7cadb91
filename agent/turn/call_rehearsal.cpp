// A call that the user would be asked about is rehearsed first: what must fail is not worth a question.
#include "agent/turn/prepared_call.h"
#include "agent/turn/tool_calls.h"
#include "tools/workspace/file.h"

namespace tern {

// True: the call fails as it is, and its output says why. Nothing outside the workspace is looked at before
// the user has agreed to it.
bool ToolCalls::must_fail(Prepared& prepared, std::stop_token stop) {
  auto& run = prepared.run;
  const auto& tool = *run.tool;
  if (!tool.rehearses || !tool.paths) return false;
  const CallSnapshot seen{hands_.workspace, hands_.files};
  ToolChanges none;
  ToolContext context{.workspace = seen.workspace,
                      .files = seen.files,
                      .jobs = hands_.jobs,
                      .sandbox = hands_.sandbox,
                      .changes = none,
                      .stop = stop,
                      .call_id = run.call.id,
                      .rehearsal = true,
                      .recall = {},
                      .context = {}};
  for (const auto& path : tool.paths(prepared.args))
    if (!barred(seen.workspace.locate(path), Access::write, context).empty()) return false;
  ToolOutput output;
  inbox_.attend([&] {
    try {
      output = tool.run(prepared.args, context);
    } catch (const std::exception&) {
      output = {};  // the real run says it
    }
  });
  if (!output.is_error) return false;
  auto subject = std::move(run.output.subject);
  run.output = std::move(output);
  run.output.subject = std::move(subject);
  return true;
}

}  // namespace tern
