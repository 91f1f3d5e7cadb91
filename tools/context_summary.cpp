#include "tools/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("summary", args, ctx); }

}  // namespace

extern constinit const Tool context_summary{
    .name = "context_summary",
    .description = "Shows the last summaries that compression made.",
    .schema = R"({"type":"object","properties":{"limit":{"type":"integer","minimum":1}}})",
    .effect = Effect::context,
    .basic = false,
    .aliases = "count=limit n=limit",
    .run = run,
    .subject = no_subject,
    .label = "",
};

}  // namespace tern
