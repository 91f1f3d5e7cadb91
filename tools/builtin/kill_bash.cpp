#include <nlohmann/json.hpp>

#include <string>

#include "tools/exec/jobs.h"
#include "tools/set/tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) {
  const std::string id = args.value("shell_id", std::string());
  ToolOutput result;
  result.subject = id;
  const std::optional<JobInfo> before = ctx.jobs.find(id);
  if (!before) {
    result.is_error = true;
    result.text = "There is no background command '" + id + "'.";
    return result;
  }
  if (!before->running) {
    result.text = id + " had already ended: " + before->how + ".";
    return result;
  }
  ctx.jobs.stop(id, StoppedBy::model);
  const std::optional<JobInfo> after = ctx.jobs.find(id);
  result.is_error = !after || after->running;
  result.text = result.is_error ? id + " does not end; what is left of it waits in the kernel."
                                : id + " and everything it started were ended.";
  result.note = after ? after->how : std::string();
  return result;
}

std::string subject(const nlohmann::json& args) { return args.value("shell_id", std::string()); }

}  // namespace

Tool kill_bash_tool() {
  return {
      .name = "KillBash",
      .description = "Ends a background command.",
      .about = "Ends a background command.",
      .schema = R"({"type":"object","properties":{"shell_id":{"type":"string"}},"required":["shell_id"]})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "id=shell_id bash_id=shell_id task_id=shell_id",
      .run = run,
      .subject = subject,
      .label = {},
  };
}

}  // namespace tern
