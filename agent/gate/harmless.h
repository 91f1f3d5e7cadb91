// Between the files that know which calls only look. Each answers with nothing, or with why a call may do
// more.
#pragma once

#include <string>
#include <string_view>

#include "agent/gate/command_kinds.h"

namespace tern {

// May this file be shown unasked? It is inside the workspace or of the system, and holds no keys.
std::string why_not_readable(const Place& where, const Workspace& workspace);

// Programs that read their words in a way of their own. `known` is false when there is no such program.
std::string why_not_harmless_words(const ShellCommand& command, const CommandPlace& place, bool& known);
std::string why_not_harmless_git(const ShellCommand& command, const CommandPlace& place);
// A jq program may read other files: modules and data.
std::string program_reads_files(const std::string& program);
// "gcc --version": a word alone that this program answers with its version and nothing else.
bool asks_for_version(const ShellCommand& command);

// An option of the word list, or a cluster of letters as getopt reads it: "ab?c:" holds a flag, one that
// takes what is glued to it, and one that takes the rest of the word or the next.
enum class Letters { unknown, complete, wants_next };
Letters read_letters(std::string_view cluster, std::string_view letters);

}  // namespace tern
