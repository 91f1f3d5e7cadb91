#include "compression/tool_kinds.h"

#include <algorithm>
#include <array>

namespace tern {
namespace {

constexpr std::array<std::string_view, 9> writers = {"write",       "edit",        "multiedit", "delete", "notebookedit",
                                                     "apply_patch", "str_replace", "create",    "replace"};
constexpr std::array<std::string_view, 4> shells = {"bash", "shell", "exec_command", "run_shell_command"};

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
bool runs_commands(std::string_view tool) { return among(shells, tool); }

}  // namespace tern
