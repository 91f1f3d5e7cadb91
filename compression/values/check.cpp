#include "compression/values/check.h"

#include <unordered_map>

#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

bool results_first(const Item& item) {
  bool other = false;
  for (const auto& block : item.blocks) {
    if (!std::holds_alternative<ToolResult>(block))
      other = true;
    else if (other)
      return false;
  }
  return true;
}

void check_blocks(const Item& item, std::vector<Problem>& problems) {
  if (item.blocks.empty()) problems.push_back({item.id, "message without content"});
  for (const auto& block : item.blocks) {
    if (is_empty_text(block)) problems.push_back({item.id, "empty text"});
    if (!belongs(block, item.role)) problems.push_back({item.id, "block in a message of the wrong role"});
  }
  if (!results_first(item)) problems.push_back({item.id, "tool result after other content"});
}

void check_roles(const Item* before, const Item& item, std::vector<Problem>& problems) {
  if (item.role == Role::system) {
    if (before && before->role != Role::system)
      problems.push_back({item.id, "system message after the conversation began"});
    return;
  }
  const bool first = !before || before->role == Role::system;
  if (first && item.role != Role::user) problems.push_back({item.id, "first message is not the user's"});
  if (before && before->role == Role::assistant && item.role == Role::assistant) {
    problems.push_back({item.id, "two assistant messages in a row"});
  }
}

void check_pairs(const Item* before, const Item& item, std::vector<Problem>& problems) {
  std::unordered_map<std::string_view, int> open;
  if (before) {
    for (const auto* call : blocks_of<ToolCall>(*before)) {
      if (!open.emplace(call->id, 0).second)
        problems.push_back({before->id, "call id used twice: " + call->id});
    }
  }
  for (const auto* result : blocks_of<ToolResult>(item)) {
    const auto call = open.find(result->call_id);
    if (call == open.end())
      problems.push_back({item.id, "result without its call: " + result->call_id});
    else if (++call->second > 1)
      problems.push_back({item.id, "two results for one call: " + result->call_id});
  }
  for (const auto& [id, answers] : open) {
    if (answers == 0) problems.push_back({before->id, "call without a result: " + std::string(id)});
  }
}

}  // namespace

std::vector<Problem> check(const Conversation& conversation) {
  std::vector<Problem> problems;
  const Item* before = nullptr;
  for (const auto& item : conversation.items) {
    check_blocks(*item, problems);
    check_roles(before, *item, problems);
    check_pairs(before, *item, problems);
    before = item.get();
  }
  if (before && has<ToolCall>(*before)) check_pairs(before, Item{}, problems);
  return problems;
}

std::vector<Problem> check_edit(const Conversation& before, const Conversation& after) {
  std::vector<Problem> problems;
  std::unordered_map<std::uint64_t, const Item*> now;
  for (const auto& item : after.items) now.emplace(item->id.value, item.get());
  for (const auto& item : before.items) {
    if (item->role != Role::system && !item->pinned) continue;
    const auto found = now.find(item->id.value);
    const char* what = item->pinned ? "pinned message" : "system message";
    if (found == now.end())
      problems.push_back({item->id, std::string(what) + " is gone"});
    else if (found->second->blocks != item->blocks)
      problems.push_back({item->id, std::string(what) + " was changed"});
  }
  const Tokens had = count(before), have = count(after);
  if (have > had) {
    problems.push_back({{}, "tokens grew from " + std::to_string(had) + " to " + std::to_string(have)});
  }
  return problems;
}

}  // namespace tern
