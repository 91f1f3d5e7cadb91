#include <nlohmann/json.hpp>

#include "agent/lsp/lsp_desk.h"
#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/set/args.h"
#include "tools/workspace/file.h"

namespace tern {

Tool diagnostics_tool(std::shared_ptr<LspDesk> desk) {
  return {
      .name = "Diagnostics",
      .description = "Errors and warnings of a file, by its language server.",
      .about = "Asks the language server for errors in a file.",
      .schema = R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})",
      .effects = Effect::read,
      .basic = false,
      .aliases = "filepath=path file=path",
      .run =
          [desk](const nlohmann::json& args, ToolContext& ctx) {
            const Place place = ctx.workspace.locate(text_arg(args, "path"));
            if (auto why = barred(place, Access::read, ctx); !why.empty())
              return failure(std::move(why), place.given);
            return desk->ask(ctx.workspace, place, ctx.stop);
          },
      .subject = [](const nlohmann::json& args) { return text_arg(args, "path"); },
      .label = {},
      .paths = [](const nlohmann::json& args) { return std::vector<std::string>{text_arg(args, "path")}; }};
}

}  // namespace tern
