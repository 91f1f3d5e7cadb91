// The person's hand on single items: drop, fold, bring back. Each act is one batch of the log like any
// compaction, so that one undo takes all of it back, and a crash leaves the old or the new context.
#include "agent/compactor/hand_edits.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/compactor/compactor.h"
#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

using What = EditContext::What;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "r17" and "R17" mean the same; "17" is r17, too.
std::string as_listed(const std::string& id) {
  const auto recall = parse_recall_id(id);
  return recall ? to_string(recall) : id;
}

bool answers(const Item& results, const Item& calls) {
  std::set<std::string_view> ids;
  for (const auto* call : blocks_of<ToolCall>(calls)) ids.insert(call->id);
  const auto found = blocks_of<ToolResult>(results);
  return std::any_of(found.begin(), found.end(),
                     [&](const ToolResult* result) { return ids.count(result->call_id) > 0; });
}

std::vector<HandUnit> units_of(const std::vector<ItemPtr>& dropped) {
  std::vector<HandUnit> units;
  const Item* before = nullptr;
  for (const auto& item : dropped) {
    for (auto& unit : hand_units(*item, before)) units.push_back(std::move(unit));
    before = item.get();
  }
  return units;
}

ListRow row_of(const HandUnit& unit, double factor, const char* gone) {
  ListRow row{
      .id = unit.id, .text = unit.kind + (unit.subject.empty() ? "" : "  " + unit.subject), .note = gone};
  row.tokens = static_cast<Tokens>(static_cast<double>(unit.tokens) * factor);
  if (unit.shortened && row.note.empty()) row.note = "shortened";
  if (unit.pinned) row.note += row.note.empty() ? "pinned" : " · pinned";
  return row;
}

// The edits that put blocks of an item back as the log has them: the call of that id, or what the message
// says.
Edits as_logged(const Item& now, const Item& logged, const std::string& call_id, const Reason& why) {
  const auto meant = [&](const Block& block) {
    const auto* call = std::get_if<ToolCall>(&block);
    return call ? call->id == call_id : call_id.empty() && !std::holds_alternative<ToolResult>(block);
  };
  Edits edits;
  for (std::size_t b = 0; b < std::min(now.blocks.size(), logged.blocks.size()); ++b)
    if (now.blocks[b] != logged.blocks[b] && meant(logged.blocks[b]))
      edits.push_back(
          {now.id, Replace{b, logged.blocks[b]}, why, estimate(now.blocks[b]) - estimate(logged.blocks[b])});
  return edits;
}

// A shortened result whole, and its call as it was.
Edits whole_result(const Conversation& conversation, const HandUnit& unit, const LogStore& store,
                   const Reason& why) {
  const auto& items = conversation.items;
  const auto at =
      std::find_if(items.begin(), items.end(), [&](const ItemPtr& item) { return item->id == unit.item; });
  if (at == items.end()) return {};
  auto result = std::get<ToolResult>((*at)->blocks[*unit.result]);
  const auto text = store.text(result.recall);
  if (!text) return {};
  Edits edits;
  if (at != items.begin()) {
    const auto& before = **(at - 1);
    if (const auto logged = store.item(before.id)) edits = as_logged(before, *logged, result.call_id, why);
  }
  result.text = *text;
  result.form = ResultForm::full;
  edits.push_back({unit.item, Replace{*unit.result, std::move(result)}, why, 0});
  return edits;
}

// What was dropped around the named item: it alone, or the call with its results.
std::vector<ItemPtr> round_of(const std::vector<ItemPtr>& dropped, std::size_t at) {
  const auto& item = *dropped[at];
  if (has<ToolCall>(item) && at + 1 < dropped.size() && answers(*dropped[at + 1], item))
    return {dropped[at], dropped[at + 1]};
  if (has<ToolResult>(item) && at > 0 && answers(item, *dropped[at - 1]))
    return {dropped[at - 1], dropped[at]};
  return {dropped[at]};
}

// What brings one named thing back to its place.
struct Returning {
  Edits edits;
  Tokens tokens = 0;
  bool stands = false;  // it is in the context, shortened or not
};

Returning returning(const Conversation& conversation, const std::string& id, const Store& store) {
  const Reason why{Tier::micro, "brought back", "asked for by the user"};
  for (const auto& unit : hand_units(conversation)) {
    if (unit.id != id) continue;
    const auto logged = store.item(unit.item);
    const auto now = std::find_if(conversation.items.begin(), conversation.items.end(),
                                  [&](const ItemPtr& item) { return item->id == unit.item; });
    Edits edits;
    if (unit.result && unit.shortened)
      edits = whole_result(conversation, unit, store, why);
    else if (!unit.result && logged)
      edits = as_logged(**now, *logged, "", why);
    const auto grown = count(tern::apply(conversation, edits)) - count(conversation);
    return {std::move(edits), grown, true};
  }
  const auto dropped = dropped_items(store, conversation);
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const auto units = hand_units(*dropped[i], i > 0 ? dropped[i - 1].get() : nullptr);
    if (std::none_of(units.begin(), units.end(), [&](const HandUnit& unit) { return unit.id == id; }))
      continue;
    Returning found;
    for (const auto& item : round_of(dropped, i)) {
      found.edits.push_back({place_of(conversation, item->id), Insert{item}, why, -item->tokens});
      found.tokens += item->tokens;
    }
    return found;
  }
  return {};
}

}  // namespace

std::vector<ItemPtr> dropped_items(const Store& store, const Conversation& standing) {
  std::set<std::uint64_t> gone;
  for (const auto& record : store.compactions()) {
    if (record.undone || (record.cause != Cause::dropped && record.cause != Cause::returned)) continue;
    const auto batch = store.batch(record.batch);
    if (!batch) continue;
    for (const auto& edit : batch->edits) {
      if (std::holds_alternative<Drop>(edit.how)) gone.insert(edit.target.value);
      if (const auto* insert = std::get_if<Insert>(&edit.how)) gone.erase(insert->item->id.value);
    }
  }
  for (const auto& item : standing.items) gone.erase(item->id.value);
  std::vector<ItemPtr> items;
  for (const auto id : gone)
    if (auto item = store.item({id})) items.push_back(std::move(item));
  return items;
}

ListShown context_items(const Context& context, const Store& store) {
  ListShown list{
      .what = ListShown::What::context, .title = "Context items", .empty = "The context is empty."};
  const auto meters = read_meters(context);
  list.used = meters.used, list.limit = meters.limit;
  const double factor =
      static_cast<double>(meters.used) / static_cast<double>(std::max<Tokens>(context.counted(), 1));
  auto units = hand_units(context.conversation);
  std::stable_sort(units.begin(), units.end(), [](auto& a, auto& b) { return a.tokens > b.tokens; });
  for (const auto& unit : units) list.rows.push_back(row_of(unit, factor, ""));
  for (const auto& unit : units_of(dropped_items(store, context.conversation))) {
    list.rows.push_back(row_of(unit, factor, "dropped"));
    list.rows.back().tokens = 0;
  }
  return list;
}

void Compactor::edit(Context& context, const EditContext& command) {
  if (command.what == What::back) return return_to_context(context, command.ids);
  std::map<std::string, HandUnit> known;
  for (auto& unit : hand_units(context.conversation)) known.emplace(unit.id, std::move(unit));
  std::vector<HandUnit> units;
  std::vector<std::string> names;
  for (const auto& asked : command.ids) {
    const auto id = as_listed(asked);
    const auto found = known.find(id);
    if (found == known.end()) {
      world_.emit(Notice{Level::warning, "Nothing in the context is called " + asked +
                                             ": /context items lists what there is."});
    } else if (found->second.pinned) {
      world_.emit(Notice{Level::warning, id + " is pinned: /unpin " + id + " first."});
    } else {
      units.push_back(found->second);
      names.push_back(id);
    }
  }
  if (units.empty()) return;
  const bool drop = command.what == What::drop;
  auto edits = drop ? drop_by_hand(context.conversation, units) : fold_by_hand(context.conversation, units);
  if (edits.empty())
    return world_.emit(Notice{
        Level::info,
        "Nothing changes: " + joined(names) + (names.size() == 1 ? " is" : " are") + " already that short."});
  cause_ = drop ? Cause::dropped : Cause::folded;
  preview_.reset();
  const auto why = std::string(to_string(cause_)) + ": " + joined(names);
  if (!steered_cut(context, edits, why, true)) return;
  commit(context,
         {.edits = std::move(edits), .tier = Tier::micro, .strategy = drop ? "drop" : "fold", .why = why});
}

bool Compactor::has_room_for(const Context& context, const std::string& id, Tokens tokens) {
  const auto room =
      static_cast<Tokens>(context.config.truncate_at * static_cast<double>(budget_of(context).effective()));
  if (used_of(context) + tokens < room) return true;
  world_.emit(Notice{Level::warning, "Not brought back: " + id + " takes " + thousands(tokens) + " tokens, " +
                                         thousands(std::max<Tokens>(room - used_of(context), 0)) +
                                         " are free."});
  return false;
}

// In its place what stands shortened there or was dropped from there; anything else is shown anew at the end.
void Compactor::return_to_context(Context& context, const std::vector<std::string>& ids) {
  const Conversation before = context.conversation;
  Conversation after = before;
  Edits edits;
  std::vector<std::string> names, elsewhere;
  std::string told;
  for (const auto& asked : ids) {
    const auto id = as_listed(asked);
    auto found = returning(after, id, world_.store);
    if (found.edits.empty()) {
      if (found.stands && std::find(names.begin(), names.end(), id) == names.end())
        world_.emit(Notice{Level::info, id + " is in the context, unchanged."});
      else if (!found.stands)
        elsewhere.push_back(id);
      continue;
    }
    if (!has_room_for(context, id, found.tokens + count(after) - count(before))) continue;
    after = tern::apply(after, found.edits);
    for (auto& edit : found.edits) edits.push_back(std::move(edit));
    names.push_back(id);
    told += (told.empty() ? "" : ", ") + id + " (" + thousands(found.tokens) + " tokens)";
  }
  if (!edits.empty()) {
    put_back(context, std::move(edits), after, joined(names));
    world_.emit(Notice{Level::info, "Back in the context: " + told});
  }
  if (!elsewhere.empty()) bring_back(context, elsewhere);
}

// The log says how it stands afterwards: an item that comes back has all that was done to it before it left.
void Compactor::put_back(Context& context, Edits edits, const Conversation& after, const std::string& names) {
  const Conversation before = context.conversation;
  cause_ = Cause::returned;
  Result result{.edits = std::move(edits), .tier = Tier::micro, .strategy = "bring back"};
  result.why = names + " asked for by the user";
  auto record = record_of(context, result, before, after);
  record.before = used_of(context);
  record.after = usage(after, budget_of(context)).used;
  record.items = result.edits.size();
  const auto estimated = context.estimated();
  world_.store.log({record.batch, result.edits}, record);
  context.conversation = repair(world_.store.conversation());
  context.gauges.cut(estimated, context.estimated());
  context.gauges.freed(record.before - record.after);
  if (held_.draft && !held_.draft->untouched(context.conversation)) drop_draft();
  preview_.reset();
  forget_files(before, context.conversation);
  Compaction event{.phase = CompactionPhase::completed,
                   .tier = Tier::micro,
                   .cause = cause_,
                   .batch = record.batch,
                   .before = record.before,
                   .after = record.after,
                   .items = record.items,
                   .strategy = record.strategy,
                   .why = record.why};
  for (const auto& edit : result.edits) {
    const auto* insert = std::get_if<Insert>(&edit.how);
    event.touched.push_back(insert ? insert->item->id : edit.target);
  }
  world_.store.remember(event);
  world_.emit(std::move(event));
}

}  // namespace tern
