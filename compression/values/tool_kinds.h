// What a tool's name says about its results: the one place that knows the names, ours and those that other
// agents use.
#pragma once

#include <string_view>

namespace tern {

bool changes_files(
    std::string_view tool);  // Edit, Write, apply_patch …: what was read of the file before is old
// Those below know a server's tool by its own name, too: mcp__files__read_file.
bool runs_commands(std::string_view tool);
bool reads_files(std::string_view tool);
bool searches_files(std::string_view tool);
bool lists_files(std::string_view tool);

}  // namespace tern
