#include "tools/builtin/context_tool.h"
#include "tools/set/args.h"

namespace tern {

namespace {

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) {
  auto output = ask_context("notes", args, ctx);
  output.subject = text_arg(args, "name").empty() ? text_arg(args, "op")
                                                  : text_arg(args, "op") + " " + text_arg(args, "name");
  return output;
}

std::string note_of(const nlohmann::json& args) {
  const auto name = text_arg(args, "name");
  return name.empty() ? text_arg(args, "op") : text_arg(args, "op") + " " + name;
}

}  // namespace

Tool notes_tool() {
  return {
      .name = "Notes",
      .description = "Your notes outlast compaction: decisions, state, next steps.",
      .about = "Keeps notes that outlast compaction.",
      .schema = R"({"type":"object","properties":{"op":{"enum":["list","read","write","append","search"]},)"
                R"("name":{"type":"string"},"text":{"type":"string"}},"required":["op"]})",
      .effects = Effect::context,
      .duty = ToolDuty::notes,
      .basic = false,
      .aliases = "action=op path=name file=name content=text query=text",
      .run = run,
      .subject = note_of,
      .label = {},
  };
}

}  // namespace tern
