#include "tools/builtin/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("status", args, ctx); }

}  // namespace

Tool context_status_tool() {
  return {
      .name = "context_status",
      .description = "Shows the context's fill and settings.",
      .about = "Looks at how full the context is.",
      .schema = R"({"type":"object","properties":{}})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "",
      .run = run,
      .subject = no_subject,
      .label = {},
  };
}

}  // namespace tern
