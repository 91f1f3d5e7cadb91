// What the model is told after a compaction in the middle of its task: go on, here is the todo list, and here
// are the small files you were working on, read again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/conversation.h"
#include "tools/set/tool.h"

namespace tern {

std::string resume_text(const Conversation& before, const Conversation& after, const Budget& budget,
                        const std::vector<TodoItem>& todos, const std::filesystem::path& root);

std::string todo_lines(const std::vector<TodoItem>& todos);  // "☒ done\n◐ doing\n☐ to do"

}  // namespace tern
