// The Compactor's ear: what it is about to do is told, and may be refused, narrowed by pins, widened by
// drops, or given instructions.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "agent/compactor/compaction_account.h"
#include "agent/compactor/compactor.h"
#include "compression/reading/loss_audit.h"
#include "compression/values/check.h"

namespace tern {
namespace {

constexpr const char* kDroppedByHook = "drop by hook";
constexpr double kQuiet =
    0.05;  // of the limit: a refused compaction is not asked for again before the context has grown so far

std::string kind_of_item(const Item& item) {
  for (const auto& block : item.blocks) {
    if (std::holds_alternative<ToolResult>(block)) return "result";
    if (std::holds_alternative<Summary>(block)) return "summary";
  }
  return item.role == Role::assistant ? "assistant" : "user";
}

std::string subject_of(const Item& item) {
  for (const auto& block : item.blocks)
    if (const auto* result = std::get_if<ToolResult>(&block))
      return result->tool + (result->subject.empty() ? "" : " " + result->subject);
  return {};
}

bool is_called(const Item& item, RecallId id) {
  if (item.recall == id) return true;
  return std::any_of(item.blocks.begin(), item.blocks.end(), [id](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result && result->recall == id;
  });
}

bool has_calls(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(),
                     [](const Block& b) { return std::holds_alternative<ToolCall>(b); });
}

// An item with what belongs to it: a message with its results.
std::vector<ItemPtr> with_its_pair(const std::vector<ItemPtr>& items, std::size_t at) {
  std::vector<ItemPtr> pair{items[at]};
  if (kind_of_item(*items[at]) == "result" && at > 0) pair.insert(pair.begin(), items[at - 1]);
  if (has_calls(*items[at]) && at + 1 < items.size()) pair.push_back(items[at + 1]);
  return pair;
}

std::vector<PlannedItem> planned(const Conversation& conversation, const Plan& due) {
  std::unordered_map<std::uint64_t, std::string> reasons;
  for (const auto& edit : due.edits)
    reasons.try_emplace(edit.target.value, edit.why.why.empty() ? edit.why.unit : edit.why.why);
  const auto summarised = due.ask ? covered_items(conversation, due.ask->covers) : std::vector<ItemPtr>();
  for (const auto& item : summarised) reasons.try_emplace(item->id.value, "goes into a summary");
  const auto changed = due.ask ? summarised : targets(conversation, due.edits);
  std::vector<PlannedItem> rows;
  rows.reserve(changed.size());
  for (const auto& item : changed)
    rows.push_back({to_string(item->recall), kind_of_item(*item), subject_of(*item), reasons[item->id.value],
                    item->tokens});
  return rows;
}

}  // namespace

void Compactor::set_steering(decltype(CompactorWorld::before_compaction) before,
                             decltype(CompactorWorld::after_compaction) after) {
  world_.before_compaction = std::move(before);
  world_.after_compaction = std::move(after);
}

bool Compactor::steered(Context& context, Plan& due, PlanState& now) {
  if (!world_.before_compaction || due.thrash || due.tier < Tier::micro) return true;
  const auto budget = budget_of(context);
  CompactionIntent intent{
      due.tier, cause_, used_of(context), 0, due.why, now.focus, planned(context.conversation, due)};
  intent.after = due.ask ? intent.before - due.ask->replaces + due.ask->target
                         : usage(tern::apply(context.conversation, due.edits), budget).used;
  const auto said = world_.before_compaction(intent);
  if (said.block && due.tier != Tier::truncate && cause_ != Cause::overflow) {
    decided(Decided::blocked, "a hook refused the compaction" + (said.why.empty() ? "" : ": " + said.why));
    if (cause_ == Cause::automatic)
      state_.hold_until = std::min(fill_share(context) + kQuiet, context.config.truncate_at);
    world_.emit(
        Notice{Level::info, "A hook refused the compaction" + (said.why.empty() ? "." : ": " + said.why)});
    return false;
  }
  if (!said.instructions.empty()) now.focus += (now.focus.empty() ? "" : "\n\n") + said.instructions;
  const Conversation before = context.conversation;
  for (const auto& id : said.pin) pin_for_hook(context, id);
  drop_for_hook(context, said.drop);
  const bool moved = before.items != context.conversation.items;
  if (moved || !said.instructions.empty()) due = plan(context.conversation, budget_of(context), now);
  return due.tier != Tier::none && (!due.edits.empty() || due.ask);
}

// What a hook pins leaves the edits, with what belongs to it.
bool Compactor::steered_cut(Context& context, Edits& edits, const std::string& why, bool refusable) {
  if (!world_.before_compaction) return true;
  const auto after = usage(tern::apply(context.conversation, edits), budget_of(context)).used;
  Plan cut;
  cut.edits = edits;
  const auto said = world_.before_compaction(
      {Tier::micro, cause_, used_of(context), after, why, std::string(), planned(context.conversation, cut)});
  if (said.block && refusable) {
    decided(Decided::blocked, "a hook refused the compaction" + (said.why.empty() ? "" : ": " + said.why));
    world_.emit(
        Notice{Level::info, "A hook refused the compaction" + (said.why.empty() ? "." : ": " + said.why)});
    return false;
  }
  const auto cause = cause_;
  for (const auto& id : said.pin) pin_for_hook(context, id);
  drop_for_hook(context, said.drop);
  cause_ = cause;
  std::unordered_set<std::uint64_t> stay, standing;
  const auto& items = context.conversation.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    standing.insert(items[i]->id.value);
    if (!items[i]->pinned) continue;
    for (const auto& item : with_its_pair(items, i)) stay.insert(item->id.value);
  }
  std::erase_if(edits, [&](const Edit& edit) {
    return stay.count(edit.target.value) > 0 || standing.count(edit.target.value) == 0;
  });
  return !edits.empty();
}

void Compactor::pin_for_hook(Context& context, const std::string& id) {
  const auto recall = parse_recall_id(id);
  const auto& items = context.conversation.items;
  const auto item = std::find_if(items.begin(), items.end(),
                                 [&](const ItemPtr& one) { return recall && is_called(*one, recall); });
  if (item == items.end())
    world_.emit(Notice{Level::warning, "A hook wants " + id + " pinned, which is not in the context."});
  else if (!(*item)->pinned)
    pin(context, PinThis{.what = id, .on = true, .item = (*item)->id});
}

// As one batch that can be taken back; what would leave the conversation in a wrong shape stays.
void Compactor::drop_for_hook(Context& context, const std::vector<std::string>& ids) {
  const auto& items = context.conversation.items;
  Edits edits;
  std::unordered_set<std::uint64_t> gone;
  for (const auto& id : ids) {
    const auto recall = parse_recall_id(id);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!recall || items[i]->pinned || !is_called(*items[i], recall)) continue;
      for (const auto& item : with_its_pair(items, i))
        if (gone.insert(item->id.value).second)
          edits.push_back(
              {item->id, Drop{}, {Tier::micro, "hook", "a PreCompact hook dropped it"}, item->tokens});
    }
  }
  if (edits.empty()) return;
  const bool shape = check_edit(context.conversation, tern::apply(context.conversation, edits)).empty();
  if (shape)
    commit(context, {.edits = std::move(edits),
                     .tier = Tier::micro,
                     .strategy = kDroppedByHook,
                     .why = "asked for by a hook"});
  else
    world_.emit(Notice{Level::warning, "A hook wants messages dropped that others need; they stay."});
}

// What has been done, for who wants to know.
void Compactor::tell_outcome(const Conversation& before, const Conversation& after,
                             const CompactionRecord& record) {
  if (!world_.after_compaction || record.strategy == kDroppedByHook) return;
  CompactionOutcome outcome{
      .tier = record.tier, .cause = record.cause, .summary = record.summary, .summary_id = {}};
  outcome.before = record.before;
  outcome.after = record.after;
  std::unordered_set<const Item*> old;
  for (const auto& item : before.items) old.insert(item.get());
  for (const auto& item : after.items) {
    if (old.erase(item.get()) > 0)
      outcome.kept.push_back(to_string(item->recall));
    else if (kind_of_item(*item) == "summary")
      outcome.summary_id = to_string(item->recall);
  }
  for (const auto& item : before.items) {
    if (old.count(item.get()) == 0) continue;
    outcome.recall_ids.push_back(to_string(item->recall));
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && result->recall)
        outcome.recall_ids.push_back(to_string(result->recall));
  }
  for (const auto& [fate, fact] : audit(before, after).lost)
    if (fate == Fate::dropped) outcome.lost_specifics.push_back(fact.text);
  world_.after_compaction(outcome);
}

}  // namespace tern
