#include "tools/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("compress", args, ctx); }

}  // namespace

extern constinit const Tool context_compress{
    .name = "context_compress",
    .description = "Compresses the context now. focus: what the summary must keep.",
    .schema = R"({"type":"object","properties":{"focus":{"type":"string"},"strategy":{"type":"string"}}})",
    .effect = Effect::context,
    .basic = false,
    .aliases = "instructions=focus keep=focus",
    .run = run,
    .subject = no_subject,
    .label = "",
};

}  // namespace tern
