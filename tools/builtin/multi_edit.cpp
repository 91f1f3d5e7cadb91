#include <nlohmann/json.hpp>

#include "tools/builtin/edit.h"
#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

namespace tern {

using nlohmann::json;

namespace {

ToolOutput run_multi_edit(const json& args, ToolContext& ctx) {
  std::vector<EditRequest> edits;
  for (const auto& one : args.at("edits")) {
    edits.push_back(
        {text_arg(one, "old_string"), text_arg(one, "new_string"), flag_arg(one, "replace_all"), false});
  }
  if (edits.empty()) return failure("edits is empty: nothing to do.", text_arg(args, "file_path"));
  return edit_file(ctx, text_arg(args, "file_path"), std::move(edits));
}

std::string path_of(const json& args) { return text_arg(args, "file_path"); }

}  // namespace

Tool multi_edit_tool() {
  return {
      .name = "MultiEdit",
      .description = "Several Edits of one file in order, each on the result of the one before; all or none.",
      .about = "Changes several passages of a file at once.",
      .schema = R"({"type":"object","properties":{"file_path":{"type":"string"},"edits":{"type":"array",)"
                R"("items":{"type":"object",)"
                R"("properties":{"old_string":{"type":"string"},"new_string":{"type":"string"},)"
                R"("replace_all":{"type":"boolean"}},)"
                R"("required":["old_string","new_string"]}}},"required":["file_path","edits"]})",
      .effects = Effect::write,
      .basic = false,
      .aliases =
          "path=file_path file=file_path filename=file_path oldtext=old_string newtext=new_string "
          "oldstr=old_string "
          "newstr=new_string changes=edits replacements=edits",
      .run = run_multi_edit,
      .subject = path_of,
      .label = "Edit",
      .paths = path_of_call,
      .preview = change_preview,
      .rehearses = true,
  };
}

}  // namespace tern
