// The last steps of every tool that writes: journal, atomic write, what the model knows of the file, and the
// diff.
#pragma once

#include <string>
#include <string_view>

#include "tools/files/atomic_write.h"
#include "tools/files/diff.h"
#include "tools/files/encoding.h"
#include "tools/workspace/file.h"

namespace tern {

struct ToolContext;
struct ToolOutput;

ToolOutput failure(std::string text, std::string subject = {});

// Records the before-image, writes `after`, and remembers it as seen. `before.missing` means a new file.
// A rehearsal does none of it.
Written commit_change(ToolContext& ctx, const Place& place, const Loaded& before, std::string_view after);

// Both as UTF-8 text, whatever the encoding.
Diff diff_of_files(std::string_view before, std::string_view after, std::size_t context = 3);
Diff diff_of_files(std::string_view before, std::string_view after, const Charset& charset);

// Writing is refused for what is not an ordinary, modestly sized file in reach. Empty = go on. Loads it on
// the way.
std::string load_for_change(ToolContext& ctx, const Place& place, Loaded& loaded);

}  // namespace tern
