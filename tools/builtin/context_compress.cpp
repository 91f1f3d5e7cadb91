#include "tools/builtin/context_tool.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) { return ask_context("compress", args, ctx); }

}  // namespace

Tool context_compress_tool() {
  return {
      .name = "context_compress",
      .description = "Compresses the context. focus: what to keep.",
      .about = "Compacts the context.",
      .schema = R"({"type":"object","properties":{"focus":{"type":"string"}}})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "instructions=focus keep=focus",
      .run = run,
      .subject = no_subject,
      .label = {},
  };
}

}  // namespace tern
