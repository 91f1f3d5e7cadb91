#include "tools/files/change_preview.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/files/diff.h"
#include "tools/files/edit_match.h"
#include "tools/files/indent_unit.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

constexpr std::size_t most_read = 256 * 1024;

std::string text_of(const nlohmann::json& args, const char* key) {
  const auto found = args.find(key);
  return found != args.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_read, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

}  // namespace

std::vector<std::string> path_of_call(const nlohmann::json& args) {
  for (const char* key : {"file_path", "notebook_path", "path"})
    if (args.contains(key) && args[key].is_string()) return {args[key].get<std::string>()};
  return {""};
}

std::string change_preview(const nlohmann::json& args, const Workspace& workspace) {
  if (!args.contains("file_path")) return {};
  const auto before = file_text(workspace.locate(text_of(args, "file_path")).real);
  if (args.contains("content")) return unified_diff(before, text_of(args, "content")).text;
  auto edits = nlohmann::json::array();
  if (args.contains("old_string"))
    edits.push_back(args);
  else if (args.contains("edits"))
    edits = args.at("edits");
  auto after = before;
  for (const auto& edit : edits) {
    const EditRequest request{text_of(edit, "old_string"), text_of(edit, "new_string"),
                              edit.contains("replace_all") && edit.at("replace_all") == true,
                              has_one_unit(text_of(args, "file_path"))};
    auto outcome = apply_edit(after, request);
    if (!outcome.error.empty()) return unified_diff(request.old_text, request.new_text).text;
    after = std::move(outcome.bytes);
  }
  return unified_diff(before, after).text;
}

}  // namespace tern
