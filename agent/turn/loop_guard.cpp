#include "agent/turn/loop_guard.h"

#include <algorithm>
#include <functional>

#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

std::size_t hash_of(const ToolCall& call) { return std::hash<std::string>{}(call.name + '\0' + call.arguments); }

}  // namespace

int LoopGuard::repeats(const ToolCall& call) const {
  const auto key = hash_of(call);
  const auto seen = std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  return seen == recent_.end() ? 0 : seen->times;
}

void LoopGuard::saw(const ToolCall& call, const std::string& result) {
  const auto key = hash_of(call), answer = std::hash<std::string>{}(result);
  const auto seen = std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  if (seen != recent_.end()) {
    seen->times = seen->result == answer || seen->times >= teach_at ? seen->times + 1 : 1;
    seen->result = answer;
    return;
  }
  recent_.push_front({key, answer, 1, changes_files(call.name)});
  if (recent_.size() > 32) recent_.pop_back();
}

void LoopGuard::changed_files() {
  std::erase_if(recent_, [](const Seen& seen) { return !seen.writes; });
}

}  // namespace tern
