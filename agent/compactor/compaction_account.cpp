#include "agent/compactor/compaction_account.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "agent/models/cost.h"
#include "compression/plan/summary_local.h"
#include "compression/text/lines.h"
#include "compression/values/blocks.h"

namespace tern {
namespace {

constexpr std::size_t most_requests = 12, request_bytes = 160;
constexpr Tokens part_tokens = 800;

// Results, calls, answers and messages are counted apart: each means another kind of loss.
enum class Part { result, call, answer, message, summary, parts };
constexpr const char* part_names[] = {"tool result", "call", "answer", "message of yours", "summary"};

Part part_of(const Item& item, const Block& block) {
  if (std::holds_alternative<ToolResult>(block)) return Part::result;
  if (std::holds_alternative<ToolCall>(block)) return Part::call;
  if (std::holds_alternative<Summary>(block)) return Part::summary;
  return item.role == Role::assistant ? Part::answer : Part::message;
}

struct Counts {
  std::int64_t of[static_cast<std::size_t>(Part::parts)] = {};
  void add(Part part) { ++of[static_cast<std::size_t>(part)]; }
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < std::size(of); ++i) {
      if (of[i] == 0) continue;
      const bool yours = i == static_cast<std::size_t>(Part::message);
      text += (text.empty() ? "" : ", ") + (yours ? counted(of[i], part_names[i], "messages of yours")
                                                  : counted(of[i], part_names[i], {}));
    }
    return text;
  }
};

std::string done_text(const Conversation& before, const Edits& edits) {
  std::unordered_map<std::uint64_t, const Item*> items;
  for (const auto& item : before.items) items[item->id.value] = item.get();
  Counts shortened, removed;
  std::size_t inserted = 0;
  for (const auto& edit : edits) {
    inserted += std::holds_alternative<Insert>(edit.how);
    const auto found = items.find(edit.target.value);
    if (found == items.end() || std::holds_alternative<Insert>(edit.how)) continue;
    const Item& item = *found->second;
    if (const auto* replace = std::get_if<Replace>(&edit.how); replace && replace->block < item.blocks.size())
      shortened.add(part_of(item, item.blocks[replace->block]));
    if (std::holds_alternative<Drop>(edit.how))
      for (const auto& block : item.blocks)
        if (!std::holds_alternative<Thinking>(block)) removed.add(part_of(item, block));
  }
  std::string text;
  const auto add = [&](const std::string& counts, const char* verb) {
    if (!counts.empty()) text += "- " + std::string(verb) + ": " + counts + "\n";
  };
  add(shortened.text(), "shortened");
  add(removed.text(), inserted ? "taken into a summary by rules" : "removed");
  return "## What was done\n" + text + "- everything of it is kept and can be read with /recall\n";
}

std::string requests_text(const Groups& groups) {
  std::string text;
  for (std::size_t i = 0; i < groups.requests.size() && i < most_requests; ++i) {
    const auto said = blocks_of<Text>(*groups.requests[i]);
    if (said.empty()) continue;
    const std::string_view first = trimmed(said.front()->text);
    text += "- " + clipped(first.substr(0, first.find('\n')), request_bytes) + "\n";
  }
  if (groups.requests.size() > most_requests)
    text += "- … and " +
            counted(static_cast<std::int64_t>(groups.requests.size() - most_requests), "request") + " more\n";
  return text.empty() ? text : "## What you asked\n" + text;
}

}  // namespace

std::vector<ItemPtr> targets(const Conversation& conversation, const Edits& edits) {
  std::unordered_set<std::uint64_t> ids;
  for (const auto& edit : edits)
    if (!std::holds_alternative<Insert>(edit.how)) ids.insert(edit.target.value);
  std::vector<ItemPtr> items;
  for (const auto& item : conversation.items)
    if (ids.count(item->id.value)) items.push_back(item);
  return items;
}

std::string account_of(const Conversation& before, const Edits& edits) {
  const Groups groups = group(before.items);
  Groups without_requests = groups;  // they have a part of their own
  without_requests.requests.clear();
  std::string text = done_text(before, edits);
  for (const auto& part : {requests_text(groups), critical_part(groups, part_tokens),
                           conversation_part(without_requests, part_tokens), tool_part(groups, part_tokens)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace tern
