#include "tools/builtin/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("fresh", args, ctx); }

}  // namespace

Tool new_context_tool() {
  return {
      .name = "NewContext",
      .description = "Starts a fresh window with notes, todos and last words.",
      .about = "Goes on in an empty context, with its notes and todos.",
      .schema = R"({"type":"object","properties":{"why":{"type":"string"}}})",
      .effects = Effect::context,
      .duty = ToolDuty::notes,
      .basic = false,
      .aliases = "reason=why",
      .run = run,
      .subject = no_subject,
      .label = {},
  };
}

}  // namespace tern
