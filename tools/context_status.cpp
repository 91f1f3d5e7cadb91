#include "tools/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("status", args, ctx); }

}  // namespace

extern constinit const Tool context_status{
    .name = "context_status",
    .description = "Shows how full the context is, the compression settings and what compression has saved.",
    .schema = R"({"type":"object","properties":{}})",
    .effect = Effect::context,
    .basic = false,
    .aliases = "",
    .run = run,
    .subject = no_subject,
    .label = "",
};

}  // namespace tern
