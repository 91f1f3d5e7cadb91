#include "compression/values/range.h"

#include <algorithm>
#include <unordered_set>

#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

Stretch stretch_of(const std::vector<ItemPtr>& items, ItemRange range) {
  // By place, not by number: a summary stands early and carries a late id.
  const auto place = [&](auto&& is) {
    return static_cast<std::size_t>(std::find_if(items.begin(), items.end(), is) - items.begin());
  };
  Stretch span{place([&](const ItemPtr& i) { return i->id == range.first; }), items.size()};
  if (span.first == items.size()) span.first = place([&](const ItemPtr& i) { return i->id >= range.first; });
  const auto last = place([&](const ItemPtr& i) { return i->id == range.last; });
  if (last < items.size())
    span.end = last + 1;
  else
    while (span.end > span.first &&
           (items[span.end - 1]->id > range.last || has<Summary>(*items[span.end - 1])))
      --span.end;
  while (span.first < items.size() && items[span.first]->role == Role::system) ++span.first;
  if (span.first >= items.size() || span.end > items.size() || span.first >= span.end) return {};
  const auto opens = [&](std::size_t i) {
    return items[i]->role == Role::user && !has<ToolResult>(*items[i]);
  };
  while (span.first > 0 && !opens(span.first) && items[span.first - 1]->role != Role::system) --span.first;
  while (span.end < items.size() && has<ToolCall>(*items[span.end - 1]) && has<ToolResult>(*items[span.end]))
    ++span.end;
  return span;
}

namespace {

// A window of the conversation's own size, whose every mark is the goal.
Budget towards(Budget budget, Tokens all, Tokens goal) {
  budget.window = std::max<Tokens>(1, all);
  budget.reserve = budget.fixed = budget.pending = 0;
  budget.optimum.reset();
  budget.calibration = 1;
  budget.config.compact_at = 1;
  budget.config.compact_target = budget.config.micro_low_water =
      static_cast<double>(goal) / static_cast<double>(budget.window);
  return budget;
}

}  // namespace

Edits propose_within(const Strategy& strategy, const Conversation& conversation, const Budget& budget,
                     ItemRange range) {
  const auto [first, end] = stretch_of(conversation.items, range);
  Conversation fixed = conversation;
  std::unordered_set<std::uint64_t> inside;
  Tokens all = 0, picked = 0;
  for (std::size_t i = 0; i < fixed.items.size(); ++i) {
    auto& item = fixed.items[i];
    all += item->tokens;
    if (first <= i && i < end) {
      inside.insert(item->id.value);
      picked += item->tokens;
    } else if (!item->pinned) {
      Item still = *item;
      still.pinned = true;
      item = std::make_shared<const Item>(std::move(still));
    }
  }
  const auto stays = static_cast<Tokens>(budget.config.compact_target * static_cast<double>(picked));
  auto edits = strategy.propose(fixed, towards(budget, all, all - picked + stays));
  std::erase_if(edits, [&](const Edit& edit) { return !inside.count(edit.target.value); });
  return edits;
}

}  // namespace tern
