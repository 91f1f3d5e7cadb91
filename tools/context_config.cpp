#include "tools/context_tool.h"

namespace tern {

using nlohmann::json;

namespace {

ToolOutput run(const json& args, ToolContext& ctx) {
  if (args.contains("importanceThreshold") && args["importanceThreshold"] > 1) {
    return {.text = "importanceThreshold must lie between 0 and 1. Nothing was changed.", .is_error = true};
  }
  return ask_context("config", args, ctx);
}

}  // namespace

extern constinit const Tool context_config{
    .name = "context_config",
    .description = "Changes compression settings; without parameters, shows them.",
    .schema =
        R"({"type":"object","properties":{"maxTurns":{"type":"integer","minimum":1},"keepRecent":{"type":"integer","minimum":1},)"
        R"("maxToolOutput":{"type":"integer","minimum":200},"summaryMaxChars":{"type":"integer","minimum":100},)"
        R"("autoCompress":{"type":"boolean"},"importanceThreshold":{"type":"number","minimum":0}}})",
    .effect = Effect::context,
    .basic = false,
    .aliases = "",
    .run = run,
    .subject = no_subject,
    .label = "",
};

}  // namespace tern
