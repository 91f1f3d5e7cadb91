#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

// Items that repair makes get ids no log ever gives, derived from their neighbour: the same input, the same
// ids.
constexpr std::uint64_t answers_bit = 1ull << 63, opening_bit = 1ull << 62;

ItemPtr with_blocks(const Item& old, std::vector<Block> blocks) {
  Item item = old;
  item.blocks = std::move(blocks);
  return make_item(std::move(item));
}

template <class Keep>
ItemPtr filtered(const ItemPtr& item, Keep keep) {
  const auto& old = item->blocks;
  if (std::all_of(old.begin(), old.end(), keep)) return item;
  std::vector<Block> kept;
  std::copy_if(old.begin(), old.end(), std::back_inserter(kept), keep);
  return with_blocks(*item, std::move(kept));
}

// Only content that its role may carry, nothing empty, no call id twice.
ItemPtr cleaned(const ItemPtr& item) {
  std::unordered_set<std::string_view> ids;
  return filtered(item, [&, role = item->role](const Block& block) {
    const auto* call = std::get_if<ToolCall>(&block);
    return !is_empty_text(block) && belongs(block, role) && (!call || ids.insert(call->id).second);
  });
}

std::vector<ItemPtr> cleaned_in_order(const Conversation& conversation) {
  std::vector<ItemPtr> items;
  for (const auto& item : conversation.items) {
    if (auto clean = cleaned(item); !clean->blocks.empty()) items.push_back(std::move(clean));
  }
  std::stable_partition(items.begin(), items.end(), [](const ItemPtr& i) { return i->role == Role::system; });
  return items;
}

ToolResult interrupted_result(const ToolCall& call) {
  ToolResult result;
  result.call_id = call.id;
  result.tool = call.name;
  result.text = "[interrupted: no result was recorded]";
  result.is_error = true;
  return result;
}

// The user messages between one assistant message and the next: the results of its calls go first, in one
// message.
class Answers {
 public:
  Answers(const Item& assistant, std::vector<ItemPtr> between)
      : assistant_(assistant), calls_(blocks_of<ToolCall>(assistant)), between_(std::move(between)) {}

  std::vector<ItemPtr> mended() {
    if (whole()) return between_;
    collect();
    const bool reuse = !between_.empty() && has<ToolResult>(*between_.front());
    std::vector<Block> blocks;
    for (const auto* call : calls_) {
      const auto found = results_.find(call->id);
      blocks.emplace_back(found == results_.end() ? interrupted_result(*call) : *found->second);
    }
    std::vector<ItemPtr> items;
    if (reuse) {
      for (auto& block : others(*between_.front())) blocks.push_back(std::move(block));
    }
    if (!blocks.empty())
      items.push_back(reuse ? with_blocks(*between_.front(), std::move(blocks)) : fresh(std::move(blocks)));
    for (std::size_t i = reuse ? 1 : 0; i < between_.size(); ++i) keep_others(between_[i], items);
    return items;
  }

 private:
  // Exactly one result for each call, all in the first message and before anything else there.
  bool whole() const {
    std::size_t results = 0;
    for (std::size_t i = 0; i < between_.size(); ++i) {
      if (i > 0 && has<ToolResult>(*between_[i])) return false;
    }
    if (between_.empty()) return calls_.empty();
    std::unordered_set<std::string_view> open;
    for (const auto* call : calls_) open.insert(call->id);
    for (const auto& block : between_.front()->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (!result) break;
      if (!open.erase(result->call_id)) return false;
      ++results;
    }
    const auto all = std::count_if(between_.front()->blocks.begin(), between_.front()->blocks.end(),
                                   [](const Block& b) { return std::holds_alternative<ToolResult>(b); });
    return open.empty() && results == static_cast<std::size_t>(all);
  }

  void collect() {
    for (const auto& item : between_) {
      for (const auto& block : item->blocks) {
        if (const auto* result = std::get_if<ToolResult>(&block)) results_.emplace(result->call_id, result);
      }
    }
  }

  static std::vector<Block> others(const Item& item) {
    std::vector<Block> kept;
    for (const auto& block : item.blocks) {
      if (!std::holds_alternative<ToolResult>(block)) kept.push_back(block);
    }
    return kept;
  }

  static void keep_others(const ItemPtr& item, std::vector<ItemPtr>& items) {
    auto kept = filtered(item, [](const Block& b) { return !std::holds_alternative<ToolResult>(b); });
    if (!kept->blocks.empty()) items.push_back(std::move(kept));
  }

  ItemPtr fresh(std::vector<Block> blocks) const {
    Item item;
    item.id = ItemId{assistant_.id.value | answers_bit};
    item.when = assistant_.when;
    item.blocks = std::move(blocks);
    item.synthetic = true;
    return make_item(std::move(item));
  }

  const Item& assistant_;
  std::vector<const ToolCall*> calls_;
  std::vector<ItemPtr> between_;
  std::unordered_map<std::string_view, const ToolResult*> results_;
};

ItemPtr joined(const Item& first, const Item& second) {
  Item item = first;
  item.blocks.insert(item.blocks.end(), second.blocks.begin(), second.blocks.end());
  item.pinned = first.pinned || second.pinned;
  item.interrupted = first.interrupted || second.interrupted;
  return make_item(std::move(item));
}

ItemPtr opening(const Item& before) {
  Item item;
  item.id = ItemId{before.id.value | opening_bit};
  item.when = before.when;
  item.blocks = {Text{"[the conversation begins here]"}};
  item.synthetic = true;
  return make_item(std::move(item));
}

// Adjacent assistant messages become one; somebody has to speak before the first.
void say(const ItemPtr& assistant, std::vector<ItemPtr>& result) {
  if (result.empty() || result.back()->role == Role::system) result.push_back(opening(*assistant));
  if (result.back()->role == Role::assistant)
    result.back() = joined(*result.back(), *assistant);
  else
    result.push_back(assistant);
}

}  // namespace

Conversation repair(const Conversation& conversation) {
  const std::vector<ItemPtr> items = cleaned_in_order(conversation);
  const Item nobody{};
  std::vector<ItemPtr> result;
  std::size_t i = 0;
  while (i < items.size() && items[i]->role == Role::system) result.push_back(items[i++]);
  while (i < items.size()) {
    const Item* speaker = &nobody;
    if (items[i]->role == Role::assistant) {
      speaker = items[i].get();
      say(items[i++], result);
    }
    std::vector<ItemPtr> between;
    while (i < items.size() && items[i]->role == Role::user) between.push_back(items[i++]);
    const auto mended = Answers(*speaker, std::move(between)).mended();
    result.insert(result.end(), mended.begin(), mended.end());
  }
  return {std::move(result)};
}

}  // namespace tern
