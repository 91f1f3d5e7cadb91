#include "tools/builtin/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("summary", args, ctx); }

}  // namespace

Tool context_summary_tool() {
  return {
      .name = "context_summary",
      .description = "Shows the newest summaries.",
      .about = "Reads the newest summaries.",
      .schema = R"({"type":"object","properties":{"limit":{"type":"integer"}}})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "count=limit n=limit",
      .run = run,
      .subject = no_subject,
      .label = {},
  };
}

}  // namespace tern
