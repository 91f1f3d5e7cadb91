#include "compression/values/tool_kinds.h"

#include <algorithm>
#include <array>

namespace tern {
namespace {

constexpr std::array<std::string_view, 12> writers = {
    "write",       "edit",        "multiedit", "delete",     "notebookedit", "create",
    "apply_patch", "str_replace", "replace",   "write_file", "edit_file",    "create_file"};
constexpr std::array<std::string_view, 8> shells = {
    "bash",          "shell",       "exec_command",    "run_shell_command",
    "shell_command", "run_command", "execute_command", "run_terminal_cmd"};
constexpr std::array<std::string_view, 6> readers = {"read",      "read_file", "view",
                                                     "view_file", "open_file", "read_text_file"};
constexpr std::array<std::string_view, 6> searchers = {"grep",        "rg",           "search_file_content",
                                                       "grep_search", "search_files", "codebase_search"};
constexpr std::array<std::string_view, 7> listers = {
    "glob", "ls", "list_dir", "list_directory", "list_files", "find_files", "file_search"};

struct Named {
  std::string_view name;
  ToolKind kind;
};
constexpr std::string_view recaller = "recall", planner = "exitplanmode";
constexpr std::array<Named, 8> others = {{{recaller, ToolKind::read},
                                          {"bashoutput", ToolKind::read},
                                          {"killbash", ToolKind::run},
                                          {"webfetch", ToolKind::fetch},
                                          {"websearch", ToolKind::fetch},
                                          {"todowrite", ToolKind::think},
                                          {"task", ToolKind::think},
                                          {planner, ToolKind::plan}}};

// "mcp__server__read_file" is read_file of some server.
std::string_view own_name(std::string_view tool) {
  const auto prefix = tool.rfind("__");
  return prefix == tool.npos ? tool : tool.substr(prefix + 2);
}

bool same(std::string_view tool, std::string_view lower_case) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(tool.begin(), tool.end(), lower_case.begin(), lower_case.end(),
                    [&](char a, char b) { return lower(a) == b; });
}

bool among(const auto& names, std::string_view tool) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return same(tool, name); });
}

}  // namespace

bool changes_files(std::string_view tool) { return among(writers, tool); }
bool runs_commands(std::string_view tool) { return among(shells, own_name(tool)); }
bool reads_files(std::string_view tool) { return among(readers, own_name(tool)); }
bool searches_files(std::string_view tool) { return among(searchers, own_name(tool)); }
bool lists_files(std::string_view tool) { return among(listers, own_name(tool)); }
bool recalls(std::string_view tool) { return same(tool, recaller); }
bool proposes_plan(std::string_view tool) { return same(tool, planner); }
bool is_own_shell(std::string_view tool) { return among(shells, tool); }

ToolKind tool_kind(std::string_view tool) {
  if (changes_files(tool)) return ToolKind::edit;
  if (runs_commands(tool)) return ToolKind::run;
  if (reads_files(tool)) return ToolKind::read;
  if (searches_files(tool) || lists_files(tool)) return ToolKind::search;
  for (const auto& other : others)
    if (same(tool, other.name)) return other.kind;
  return ToolKind::other;
}

}  // namespace tern
