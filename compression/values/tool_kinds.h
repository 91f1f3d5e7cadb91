// What a tool's name says about its results: the one place that knows the names, ours and those that other
// agents use.
#pragma once

#include <string_view>

namespace tern {

inline constexpr std::string_view shell_tool = "Bash";  // ours

bool changes_files(
    std::string_view tool);  // Edit, Write, apply_patch …: what was read of the file before is old
// Those below know a server's tool by its own name, too: mcp__files__read_file.
bool runs_commands(std::string_view tool);
bool reads_files(std::string_view tool);
bool searches_files(std::string_view tool);
bool lists_files(std::string_view tool);
bool recalls(std::string_view tool);        // originals of ours
bool proposes_plan(std::string_view tool);  // its result is a plan, as Markdown
bool is_own_shell(std::string_view tool);   // runs_commands(), and is no server's

// What a call does, to people.
enum class ToolKind { other, read, edit, run, search, fetch, think, plan };
ToolKind tool_kind(std::string_view tool);

}  // namespace tern
