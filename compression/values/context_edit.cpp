#include "compression/values/context_edit.h"

#include <cstdint>
#include <unordered_map>

#include "compression/values/tokens.h"

namespace tern {

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::none: return "none";
    case Tier::snip: return "snip";
    case Tier::micro: return "micro";
    case Tier::compact: return "compact";
    case Tier::truncate: return "truncate";
  }
  return "none";
}

namespace {

// The items while edits are applied: each keeps what happens to it, so that a batch costs one pass however
// long it is.
class Workbench {
 public:
  Workbench(const Conversation& conversation, std::size_t edits) {
    slots_.reserve(conversation.items.size() + edits);
    for (const auto& item : conversation.items) add(item);
    originals_ = slots_.size();
  }

  void apply(const Edit& edit) {
    if (const auto* insert = std::get_if<Insert>(&edit.how)) return apply(edit.target, *insert);
    Slot* slot = find(edit.target);
    if (!slot || !may_touch(*slot->item, edit)) return;
    std::visit(overloaded{[&](const Replace& replace) { apply(*slot, replace); },
                          [&](const Drop&) { slot->dropped = true; },
                          [&](const Pin& pin) { apply(*slot, pin); }, [](const Insert&) {}},
               edit.how);
  }

  Conversation finish() {
    Conversation result;
    result.items.reserve(slots_.size());
    for (std::size_t i = 0; i < originals_; ++i) emit(i, result);
    for (const std::size_t i : appended_) emit(i, result);
    return result;
  }

 private:
  struct Slot {
    ItemPtr item;
    std::vector<std::pair<std::size_t, const Block*>> replaced;  // the last one for a block counts
    std::vector<std::size_t> before;                             // slots inserted directly before this one
    bool dropped = false;
  };

  void add(const ItemPtr& item) {
    by_id_.emplace(item->id.value, slots_.size());
    slots_.push_back({item, {}, {}, false});
  }

  Slot* find(ItemId id) {
    const auto found = by_id_.find(id.value);
    return found == by_id_.end() || slots_[found->second].dropped ? nullptr : &slots_[found->second];
  }

  // The system prompt is never touched; a pin only by the last resort, which says so in its reason.
  static bool may_touch(const Item& item, const Edit& edit) {
    if (std::holds_alternative<Pin>(edit.how)) return true;
    return item.role != Role::system && (!item.pinned || edit.why.tier == Tier::truncate);
  }

  void apply(ItemId target, const Insert& insert) {
    if (!insert.item || (insert.item->id != ItemId{} && by_id_.count(insert.item->id.value))) return;
    const bool at_end = target == ItemId{};
    if (!at_end && !find(target)) return;
    const std::size_t slot = slots_.size();
    add(insert.item);
    (at_end ? appended_ : find(target)->before).push_back(slot);
  }

  static void apply(Slot& slot, const Replace& replace) {
    if (replace.block < slot.item->blocks.size()) slot.replaced.emplace_back(replace.block, &replace.with);
  }

  static void apply(Slot& slot, const Pin& pin) {
    if (slot.item->pinned == pin.on) return;
    slot.item = finished(slot);
    slot.replaced.clear();
    Item changed = *slot.item;
    changed.pinned = pin.on;
    slot.item = std::make_shared<const Item>(std::move(changed));
  }

  static ItemPtr finished(const Slot& slot) {
    if (slot.replaced.empty()) return slot.item;
    const Item& old = *slot.item;
    std::vector<const Block*> blocks;
    for (const auto& block : old.blocks) blocks.push_back(&block);
    for (const auto& [index, with] : slot.replaced) blocks[index] = with;
    Item item{.id = old.id,
              .role = old.role,
              .when = old.when,
              .blocks = {},
              .pinned = old.pinned,
              .tokens = 0,
              .recall = old.recall,
              .interrupted = old.interrupted,
              .synthetic = old.synthetic};
    item.blocks.reserve(blocks.size());
    for (const Block* block : blocks) item.blocks.push_back(*block);
    return make_item(std::move(item));
  }

  void emit(std::size_t index, Conversation& result) const {
    const Slot& slot = slots_[index];
    for (const std::size_t i : slot.before) emit(i, result);
    if (!slot.dropped) result.items.push_back(finished(slot));
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> appended_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
  std::size_t originals_ = 0;
};

bool contains(std::span<const std::uint64_t> ids, std::uint64_t id) {
  for (const auto other : ids) {
    if (other == id) return true;
  }
  return false;
}

}  // namespace

Conversation apply(const Conversation& conversation, const Edits& edits) {
  if (edits.empty()) return conversation;
  Workbench bench(conversation, edits.size());
  for (const auto& edit : edits) bench.apply(edit);
  return bench.finish();
}

Conversation replay(std::span<const LogEntry> log, std::span<const std::uint64_t> skipped) {
  Conversation conversation;
  UndoneInserts undone;
  for (const auto& entry : log) {
    if (const auto* item = std::get_if<ItemPtr>(&entry)) {
      conversation.items.push_back(*item);
      continue;
    }
    const auto& batch = std::get<Batch>(entry);
    if (contains(skipped, batch.id)) {
      undone.add(batch.edits);
      continue;
    }
    Edits edits = batch.edits;
    undone.redirect(edits);
    conversation = tern::apply(conversation, edits);
  }
  return conversation;
}

void UndoneInserts::add(const Edits& undone) {
  for (const auto& edit : undone) {
    if (const auto* insert = std::get_if<Insert>(&edit.how); insert && insert->item)
      stood_before_[insert->item->id.value] = edit.target;
  }
}

void UndoneInserts::redirect(Edits& later) const {
  if (stood_before_.empty()) return;
  for (auto& edit : later) {
    if (!std::holds_alternative<Insert>(edit.how)) continue;
    for (auto found = stood_before_.find(edit.target.value); found != stood_before_.end();
         found = stood_before_.find(edit.target.value))
      edit.target = found->second;
  }
}

void give_ids(Edits& edits, ItemId& next) {
  for (auto& edit : edits) {
    auto* insert = std::get_if<Insert>(&edit.how);
    if (!insert || !insert->item || insert->item->id != ItemId{}) continue;
    Item item = *insert->item;
    item.id = {next.value++};
    insert->item = std::make_shared<const Item>(std::move(item));
  }
}

Edits followed(const Conversation& conversation, Edits first,
               const std::function<Edits(const Conversation&)>& next) {
  constexpr std::uint64_t for_now = 1ull << 62;  // above every id that is given out
  Edits numbered = first;
  ItemId id{for_now};
  give_ids(numbered, id);
  std::unordered_map<std::uint64_t, std::size_t> inserted;
  for (std::size_t i = 0; i < numbered.size(); ++i)
    if (const auto* insert = std::get_if<Insert>(&numbered[i].how);
        insert && insert->item->id.value >= for_now)
      inserted[insert->item->id.value] = i;
  std::vector<bool> gone(first.size());
  Edits then;
  for (auto& edit : next(tern::apply(conversation, numbered))) {
    const auto at = inserted.find(edit.target.value);
    if (at == inserted.end()) {
      then.push_back(std::move(edit));
      continue;
    }
    auto& item = std::get<Insert>(first[at->second].how).item;
    if (std::holds_alternative<Insert>(edit.how)) {
      edit.target = first[at->second].target;
      then.push_back(std::move(edit));
      continue;
    }
    if (std::holds_alternative<Drop>(edit.how)) gone[at->second] = true;
    if (auto* replace = std::get_if<Replace>(&edit.how)) {
      Item changed = *item;
      changed.blocks.at(replace->block) = std::move(replace->with);
      changed.tokens = estimate(changed);
      item = std::make_shared<const Item>(std::move(changed));
    }
    first[at->second].saved += edit.saved;
  }
  Edits all;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!gone[i]) all.push_back(std::move(first[i]));
  for (auto& edit : then) all.push_back(std::move(edit));
  return all;
}

Tokens saved(const Edits& edits) {
  Tokens sum = 0;
  for (const auto& edit : edits) sum += edit.saved;
  return sum;
}

}  // namespace tern
