// The Compactor's end: what was decided is checked, logged, applied and shown, and what hangs on the context
// follows.
#include <algorithm>
#include <unordered_set>

#include "agent/compactor/compaction_account.h"
#include "agent/compactor/compactor.h"
#include "agent/compactor/resume_rule.h"
#include "agent/store/compaction_text.h"
#include "compression/reading/boundary.h"
#include "compression/reading/loss_audit.h"
#include "compression/values/check.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"
#include "tools/files/file_memory.h"

namespace tern {
namespace {

std::string text_of(const Item& item) {
  std::string text;
  for (const auto& block : item.blocks) {
    if (const auto* summary = std::get_if<Summary>(&block)) text += summary->text;
    if (const auto* said = std::get_if<Text>(&block)) text += said->text;
  }
  return text;
}

// The messages that items of the context stand for. An earlier summary sits among them with a late id of its
// own.
std::optional<ItemRange> stands_for(const std::vector<ItemPtr>& items) {
  std::optional<ItemRange> range;
  const auto widen = [&](ItemId first, ItemId last) {
    if (first.value == 0) return;
    if (last < first) std::swap(first, last);
    range = range ? ItemRange{std::min(range->first, first), std::max(range->last, last)}
                  : ItemRange{first, last};
  };
  for (const auto& item : items) {
    const auto* summary = item->blocks.empty() ? nullptr : std::get_if<Summary>(&item->blocks.front());
    if (summary)
      widen(summary->covers.first, summary->covers.last);
    else
      widen(item->id, item->id);
  }
  return range;
}

// Compacted items a plan inserts get their identity here: pure code has no counter and no clock.
Edits identified(Edits edits, const Conversation& before, LogStore& store, TimePoint now) {
  for (auto& edit : edits) {
    auto* insert = std::get_if<Insert>(&edit.how);
    if (!insert || !insert->item) continue;
    Item item = *insert->item;
    for (auto& block : item.blocks)
      if (auto* summary = std::get_if<Summary>(&block))
        if (const auto range = stands_for(covered_items(before, summary->covers))) summary->covers = *range;
    if (item.id.value == 0) item.id = store.next_item();
    if (item.when == TimePoint{}) item.when = now;
    if (!item.recall) item.recall = store.put_original(text_of(item), "Summary", edit.why.unit);
    item.synthetic = true;
    insert->item = make_item(std::move(item));
  }
  return edits;
}

std::vector<ItemId> touched_by(const Edits& edits) {
  std::vector<ItemId> touched;
  for (const auto& edit : edits)
    if (!std::holds_alternative<Insert>(edit.how)) touched.push_back(edit.target);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

}  // namespace

// Checked, logged, applied, shown: in this order, so that a crash leaves exactly the old or the new context.
bool Compactor::commit(Context& context, Result result) {
  const Conversation before = context.conversation;
  const Budget budget = budget_of(context);  // both figures at one rate, or a cut could look like growth
  result.edits = identified(std::move(result.edits), before, world_.store, world_.now());
  const Conversation after = tern::apply(before, result.edits);
  if (auto problems = check_edit(before, after); !problems.empty()) {
    log_failure("the result of " + result.strategy + " was not taken: " + problems.front().what, result.tier);
    return false;
  }
  if (count(after) >= count(before)) {
    log_failure("the result of " + result.strategy + " is not smaller", result.tier);
    return false;
  }
  const auto touched = touched_by(result.edits);
  auto record = record_of(context, result, before, after);
  record.items = record.originals = touched.size();
  record.before = usage(before, budget).used;
  record.after = usage(after, budget).used;
  world_.store.log({record.batch, result.edits}, record);
  const auto estimated = context.estimated();
  context.conversation = after;
  context.gauges.cut(estimated, context.estimated());
  state_.deepest = std::max(state_.deepest, record.tier);
  if (record.tier >= Tier::compact) {
    held_.failed_at.reset();
    refused_.clear();
  }
  context.gauges.freed(record.before - record.after);
  waiting_for_.clear();
  if (held_.draft && !held_.draft->untouched(after)) drop_draft();
  forget_files(before, after);
  Compaction event{.phase = CompactionPhase::completed,
                   .tier = record.tier,
                   .cause = record.cause,
                   .batch = record.batch,
                   .before = record.before,
                   .after = record.after,
                   .items = record.items,
                   .originals = record.originals,
                   .strategy = record.strategy,
                   .why = record.why,
                   .audit = record.audit,
                   .cost = record.cost,
                   .pause_ms = record.pause_ms,
                   .touched = touched};
  world_.store.remember(event);
  world_.emit(std::move(event));
  const auto told = by_hand(record.cause) ? std::string() : cut_messages(before, after);
  if (!told.empty()) world_.emit(Notice{Level::warning, told});
  tell_outcome(before, after, record);
  return true;
}

// What the store keeps of a compaction beside its edits.
CompactionRecord Compactor::record_of(const Context& context, const Result& result,
                                      const Conversation& before, const Conversation& after) {
  const auto loss = audit(before, after);
  const auto now = world_.now();
  const auto& cache = context.gauges.cache();
  const auto cost = cut_cost(count(before) - count(after), cache_cost(before, result.edits, true).rewritten,
                             cache, now, context.model, context.gauges.requests_per_turn(), result.dollars);
  CompactionRecord record;
  record.batch = world_.store.next_batch();
  record.tier = result.tier;
  record.cause = cause_;
  record.strategy = result.strategy;
  record.model = result.model;
  record.why = result.why;
  record.audit = loss.line();
  record.specifics = loss.kept + loss.reachable + loss.dropped, record.specifics_kept = loss.kept;
  record.sentences = loss.answers.kept + loss.answers.reachable + loss.answers.dropped;
  record.sentences_kept = loss.answers.kept;
  if (result.tier >= Tier::compact) record.audit_full = full_audit(loss);
  record.cost = describe(cost, cache, now);
  record.summary = result.summary.empty() && result.tier >= Tier::compact ? account_of(before, result.edits)
                                                                          : result.summary;
  record.index = result.index;
  record.key_points = key_points(record.summary, context.config.summary_max_chars);
  const auto covered = result.covers ? covered_items(before, *result.covers) : targets(before, result.edits);
  if (const auto range = stands_for(covered))
    std::tie(record.first_turn, record.last_turn) = turns_of(*range);
  record.messages_before = before.items.size();
  record.messages_after = after.items.size();
  if (result.covers && !covered.empty()) {
    const auto last = std::find(before.items.begin(), before.items.end(), covered.back());
    record.boundary = static_cast<std::size_t>(last - before.items.begin()) + 1;
    if (record.boundary < before.items.size())
      record.boundary_score = boundary_score(before, record.boundary);
  }
  record.dollars = result.dollars;
  record.pause_ms = result.pause_ms;
  return record;
}

void Compactor::decided(Decided what, const std::string& why) {
  CompactionRecord record;
  record.batch = world_.store.next_batch();
  record.strategy = to_string(what);
  record.why = why;
  world_.store.log({record.batch, {}}, record);
}

void Compactor::log_failure(const std::string& why, Tier tier, Decided what) {
  decided(what, std::string(to_string(tier)) + ": " + why);
  Compaction event{.phase = CompactionPhase::failed, .tier = tier, .cause = cause_, .why = why};
  world_.store.remember(event);
  world_.emit(std::move(event));
}

// Read answers "unchanged" only while the earlier result still stands in the context.
void Compactor::forget_files(const Conversation& before, const Conversation& after) {
  std::unordered_set<const Item*> staying;
  for (const auto& item : after.items) staying.insert(item.get());
  for (const auto& item : before.items) {
    if (staying.count(item.get())) continue;
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block)) world_.files.forget_call(result->call_id);
  }
}

// After a compaction in the middle of a task the model is told so, with what it needs to go on.
void Compactor::resume_rule(Context& context, const Conversation& before) {
  if (context.conversation.items.empty()) return;
  const auto& last = *context.conversation.items.back();
  const bool mid_task = std::any_of(last.blocks.begin(), last.blocks.end(), [](const Block& block) {
    return std::holds_alternative<ToolResult>(block);
  });
  if (!mid_task || count(before) - count(context.conversation) < count(before) / 10) return;
  auto text = resume_text(before, context.conversation, budget_of(context), world_.todos, world_.root);
  if (text.empty()) return;
  Item item;
  item.role = Role::user;
  item.synthetic = true;
  item.blocks.push_back(Text{std::move(text)});
  world_.append(std::move(item));
}

std::pair<std::uint64_t, std::uint64_t> Compactor::turns_of(ItemRange range) const {
  const auto prompts = world_.store.rewind_points();  // newest first
  std::uint64_t first = 0, last = 0;
  for (const auto& prompt : prompts) {
    if (prompt.item <= range.first) ++first;
    if (prompt.item <= range.last) ++last;
  }
  return {std::max<std::uint64_t>(first, 1), std::max<std::uint64_t>(last, 1)};
}

}  // namespace tern
