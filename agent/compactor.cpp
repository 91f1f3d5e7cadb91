#include "agent/compactor.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "agent/resume_rule.h"
#include "compression/check.h"
#include "compression/index.h"
#include "tools/file_memory.h"

namespace tern {
namespace {

constexpr int steps_per_request = 6;     // tiers that may follow each other before one request
constexpr int refill_window = 2;         // compactions this few requests apart mean the context refills itself
constexpr double patient_turns = 30;     // a warm cache is not broken for less than this many turns' saving
constexpr double unhurried = 0.92;       // of the truncate mark: below it a draft may still be started instead of a pause
constexpr double draft_patience = 0.97;  // of the truncate mark: until there the draft may take its time

Tokens used_of(const Context& context) { return usage(context.conversation, budget_of(context)).used; }

// Tokens behind the first byte a plan changes: what the provider must cache anew.
Tokens behind_first_change(const Conversation& conversation, const Edits& edits) {
  std::unordered_set<std::uint64_t> targets;
  for (const auto& edit : edits) targets.insert(edit.target.value);
  Tokens after = 0;
  bool changed = false;
  for (const auto& item : conversation.items) {
    changed = changed || targets.count(item->id.value) > 0;
    if (changed) after += item->tokens;
  }
  return after - saved(edits);
}

std::string fills(const Context& context) {
  std::string text;
  for (const auto& line : top_items(context.conversation, 3)) text += (text.empty() ? "" : "; ") + line;
  return text;
}

// Compacted items a plan inserts get their identity here: pure code has no counter and no clock.
Edits identified(Edits edits, Store& store, TimePoint now) {
  for (auto& edit : edits) {
    auto* insert = std::get_if<Insert>(&edit.how);
    if (!insert || !insert->item) continue;
    Item item = *insert->item;
    if (item.id.value == 0) item.id = store.next_item();
    if (item.when == TimePoint{}) item.when = now;
    if (!item.recall) item.recall = store.next_recall();
    item.synthetic = true;
    insert->item = make_item(std::move(item));
  }
  return edits;
}

std::string full_audit(const LossReport& loss) {
  auto text = loss.line() + '\n';
  for (const auto& [fate, fact] : loss.lost)
    text += std::string(fate == Fate::dropped ? "- lost: " : "- by recall: ") + std::string(to_string(fact.kind)) + "  " +
            fact.text + (fact.recall ? "  " + to_string(fact.recall) : "") + '\n';
  return text;
}

std::vector<std::string> key_points(const std::string& summary, std::size_t limit) {
  std::vector<std::string> points;
  for (std::size_t at = 0; at < summary.size() && points.size() < 12;) {
    const auto end = std::min(summary.find('\n', at), summary.size());
    auto line = summary.substr(at, end - at);
    at = end + 1;
    const auto first = line.find_first_not_of(" \t-*");
    if (first == std::string::npos || first == 0 || line.find_first_of("-*") > first) continue;
    line = line.substr(first);
    if (line.size() > limit) line = line.substr(0, line.find_last_of(' ', limit)) + " …";
    points.push_back(std::move(line));
  }
  return points;
}

}  // namespace

void Compactor::new_turn(std::uint64_t turn) {
  world_.turn = turn;
  refills_ = 0;
}

void Compactor::resumed(const Context&) {
  draft_.reset();
  preview_.reset();
  cold_ = true;
  requests_since_ = 1000;
}

PlanState Compactor::state(const Context& context) const {
  PlanState state;
  state.now = world_.now();
  state.failures_in_a_row = failures_;
  state.refills_in_a_row = refills_;
  state.cache_cold = cold_ || (context.gauges.cache().seen && !context.gauges.cache().warm(state.now));
  state.focus = focus_;
  return state;
}

Room Compactor::make_room(Context& context, std::stop_token stop) {
  if (!context.config.auto_compress) return {};
  ++requests_since_;
  const Conversation before = context.conversation;
  Room room;
  deepest_ = Tier::none;
  for (int i = 0; i < steps_per_request && !stop.stop_requested(); ++i) {
    auto now = state(context);
    const auto result = step(context, now, stop);
    if (result == Step::failed) {
      room = {false, "The context fills up again after each compaction. What fills it: " + fills(context) +
                         ". Start anew with /clear, remove a pin, or use a model with a larger window."};
      break;
    }
    if (result == Step::nothing) break;
  }
  cold_ = false;
  if (deepest_ >= Tier::compact) resume_rule(context, before);
  if (room.fits && used_of(context) > budget_of(context).effective())
    room = {false, "The request does not fit: " + thousands(used_of(context)) + " of " +
                       thousands(budget_of(context).effective()) +
                       " tokens, and nothing more may be removed. What fills it: " + fills(context) + "."};
  if (room.fits) maybe_draft(context);
  return room;
}

// One tier. Changes the context, or says that nothing is due.
Compactor::Step Compactor::step(Context& context, PlanState now, std::stop_token stop) {
  const double share = fill_share(context);
  const auto budget = budget_of(context);
  const bool full = share >= context.config.compact_at ||
                    compaction_due(usage(context.conversation, budget), context.conversation.items.size(), budget);
  if (draft_ && full && !now.overflow) {
    if (!draft_->done() && share < context.config.truncate_at * draft_patience && draft_->untouched(context.conversation))
      return Step::nothing;  // the summary is on its way and there is still room
    if (!draft_->done()) world_.attend([&] { draft_->wait(stop); });
    if (stop.stop_requested()) return Step::nothing;
    if (swap_draft(context) == Step::changed) return Step::changed;
  }
  const Plan due = plan(context.conversation, budget, now);
  if (due.thrash) {
    log_failure("thrash: " + due.why, due.tier);
    return Step::failed;
  }
  if (due.tier == Tier::none || (due.edits.empty() && !due.ask)) return Step::nothing;
  if (due.tier == Tier::micro && !now.cache_cold && waits(context, due, share)) return Step::nothing;
  if (due.ask && share < context.config.truncate_at * unhurried && start_draft(context, *due.ask))
    return Step::nothing;  // room enough to go on working while it is written
  if (due.tier >= Tier::compact) {
    world_.emit(Compaction{.phase = CompactionPhase::needed, .tier = due.tier, .before = used_of(context), .why = due.why});
    refills_ = requests_since_ <= refill_window ? refills_ + 1 : 0;
    requests_since_ = 0;
  }
  if (!due.ask)
    return commit(context, {.edits = due.edits, .tier = due.tier, .strategy = due.edits.front().why.unit, .why = due.why})
               ? Step::changed
               : Step::nothing;
  auto result = summarise(context, due, now, stop);
  if (!result) return Step::nothing;
  return commit(context, std::move(*result)) ? Step::changed : Step::nothing;
}

// Microcompact breaks the provider's prompt cache. While that is warm it waits, unless it pays soon or room runs short.
bool Compactor::waits(Context& context, const Plan& due, double share) {
  const auto& gauges = context.gauges;
  const auto now = world_.now();
  const auto cost =
      cut_cost(saved(due.edits), behind_first_change(context.conversation, due.edits), gauges.cache(), now, context.model);
  const bool wait = cost.known && cost.warm && cost.break_even > patient_turns &&
                    share < (context.config.micro_at + context.config.compact_at) / 2;
  if (wait && waiting_for_.empty())
    world_.emit(Notice{Level::info, "microcompact waits: " + describe(cost, gauges.cache(), now)});
  waiting_for_ = wait ? describe(cost, gauges.cache(), now) : std::string();
  return wait;
}

bool Compactor::overflow(Context& context, const Failed& refusal, std::stop_token stop) {
  if (!context.config.auto_compress) {
    world_.emit(Notice{Level::error, "The provider refused the length and autoCompress is off: use /compact, or switch it on."});
    return false;
  }
  const auto before = count(context.conversation);
  if (refusal.limit > 0 && refusal.limit < context.window()) context.window_override = refusal.limit;
  context.gauges.refused(context.estimated(), refusal.asked > 0 ? refusal.asked : context.window());
  draft_.reset();
  const Conversation old = context.conversation;
  deepest_ = Tier::none;
  auto now = state(context);
  now.manual = true;  // first a summary, by whatever model still can; then without one
  if (const Plan due = plan(context.conversation, budget_of(context), now); due.ask) {
    if (auto result = summarise(context, due, now, stop)) commit(context, std::move(*result));
  }
  now = state(context);
  now.overflow = true;
  if (count(context.conversation) > before / 2) step(context, now, stop);
  if (stop.stop_requested()) return false;
  const auto budget = budget_of(context);
  const auto goal = before * 3 / 4;  // estimates were wrong once: leave real room
  if (count(context.conversation) > goal) {
    auto edits = truncate(context.conversation, budget, goal);
    if (!edits.empty())
      commit(context, {.edits = std::move(edits),
                       .tier = Tier::truncate,
                       .strategy = "truncate",
                       .why = "the provider refused the length: " + refusal.message});
  }
  if (count(context.conversation) >= before) {
    world_.emit(Notice{Level::error, "Nothing more may be removed. What fills the context: " + fills(context) + "."});
    return false;
  }
  resume_rule(context, old);
  return true;
}

// The ladder: small model, main model, no model, removal. Truncation is the next step's.
std::optional<Compactor::Result> Compactor::summarise(Context& context, const Plan& due, const PlanState& now,
                                                      std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  world_.emit(Compaction{
      .phase = CompactionPhase::started, .tier = due.tier, .before = used_of(context), .strategy = "summarize", .why = due.why});
  ++pauses_;
  std::vector<ModelInfo> models;
  if (auto small = small_model(context)) models.push_back(*small);
  models.push_back(context.model);
  std::optional<Result> result;
  for (const auto& model : models) {
    if (stop.stop_requested()) break;
    world_.emit(Compaction{.phase = CompactionPhase::progress, .tier = due.tier, .strategy = "summary by " + model.name});
    if ((result = by_model(context, *due.ask, model, stop))) break;
  }
  if (!result && stop.stop_requested()) {
    log_failure("cancelled", due.tier);
    return std::nullopt;
  }
  failures_ = result ? 0 : failures_ + 1;
  if (!result && failures_ == 3)
    world_.emit(
        Notice{Level::warning, "Three summaries failed in a row: compacting without a model until a manual /compact works."});
  if (!result) result = without_model(context, now, due.ask->replaces);
  if (!result) {
    log_failure("no summary fits and nothing may be removed", due.tier);
    return std::nullopt;
  }
  result->why = due.why;
  result->pause_ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

std::optional<Compactor::Result> Compactor::by_model(Context& context, SummaryRequest ask, const ModelInfo& model,
                                                     std::stop_token stop) {
  auto provider = world_.connect(model);
  if (!provider) return std::nullopt;
  const bool main = model.name == context.model.name;
  const auto request = summary_wire_request(ask, model, main ? SharedPrefix{context.prompt.text, context.tools} : SharedPrefix{});
  SummaryAnswer answer;
  world_.attend([&] { answer = ask_for_summary(*provider, request, stop); });
  const double cost = model.dollars(answer.usage);
  if (answer.usage_reported) {
    context.gauges.spent(cost, model.priced);
    world_.store.add_usage({world_.turn,
                            model.provider,
                            model.name,
                            "summary",
                            answer.usage.input,
                            answer.usage.output,
                            answer.usage.cache_read,
                            answer.usage.cache_write,
                            cost,
                            0,
                            {},
                            world_.now()});
  }
  if (answer.cancelled) return std::nullopt;
  ask.new_id = world_.store.next_item();
  ask.now = world_.now();
  auto made = answer.error.empty() ? with_summary(ask, answer.text, answer.complete) : Rejected{answer.error};
  if (const auto* rejected = std::get_if<Rejected>(&made)) {
    log_failure("summary by " + model.name + " rejected: " + rejected->why, Tier::compact);
    return std::nullopt;
  }
  return Result{.edits = std::get<Edits>(std::move(made)),
                .tier = Tier::compact,
                .strategy = ask.style == SummaryStyle::snapshot ? "snapshot" : "sections",
                .model = model.name,
                .summary = bare_summary(answer.text),
                .index = ask.index,
                .dollars = cost,
                .covers = ask.covers};
}

std::optional<Compactor::Result> Compactor::without_model(Context& context, const PlanState& now, Tokens replaced) {
  const auto budget = budget_of(context);
  if (auto edits = local_summary(context.conversation, budget, now); !edits.empty())
    return Result{.edits = std::move(edits), .tier = Tier::compact, .strategy = "local"};
  const auto target = count(context.conversation) - replaced / 2;
  if (auto edits = remove_messages(context.conversation, budget, target); !edits.empty()) {
    std::string strategy = edits.front().why.unit;
    return Result{.edits = std::move(edits), .tier = Tier::compact, .strategy = std::move(strategy)};
  }
  return std::nullopt;
}

// Checked, logged, applied, shown: in this order, so that a crash leaves exactly the old or the new context.
bool Compactor::commit(Context& context, Result result) {
  const Conversation before = context.conversation;
  const auto used_before = used_of(context);
  result.edits = identified(std::move(result.edits), world_.store, world_.now());
  const Conversation after = tern::apply(before, result.edits);
  if (auto problems = check_edit(before, after); !problems.empty()) {
    log_failure("the result of " + result.strategy + " was not taken: " + problems.front().what, result.tier);
    return false;
  }
  if (count(after) >= count(before)) {
    log_failure("the result of " + result.strategy + " is not smaller", result.tier);
    return false;
  }
  const auto loss = audit(before, after);
  const auto cost = cut_cost(count(before) - count(after), behind_first_change(before, result.edits), context.gauges.cache(),
                             world_.now(), context.model, result.dollars);
  CompactionRecord record;
  record.batch = world_.store.next_batch();
  record.tier = result.tier;
  record.strategy = result.strategy;
  record.model = result.model;
  record.why = result.why;
  record.audit = loss.line();
  record.audit_full = full_audit(loss);
  record.cost = describe(cost, context.gauges.cache(), world_.now());
  record.summary = result.summary;
  record.index = result.index;
  record.key_points = key_points(result.summary, context.config.summary_max_chars);
  if (result.covers) std::tie(record.first_turn, record.last_turn) = turns_of(*result.covers);
  record.dollars = result.dollars;
  record.pause_ms = result.pause_ms;
  std::unordered_set<std::uint64_t> touched;
  for (const auto& edit : result.edits)
    if (!std::holds_alternative<Insert>(edit.how)) touched.insert(edit.target.value);
  record.items = record.originals = touched.size();
  record.before = used_before;
  context.gauges.cut();
  record.after = usage(after, budget_of(context)).used;
  world_.store.log({record.batch, result.edits}, record);
  context.conversation = after;
  deepest_ = std::max(deepest_, record.tier);
  context.gauges.freed(record.before - record.after);
  waiting_for_.clear();
  if (draft_ && !draft_->untouched(after)) draft_.reset();
  forget_files(before, after);
  Compaction event{.phase = CompactionPhase::completed,
                   .tier = record.tier,
                   .batch = record.batch,
                   .before = record.before,
                   .after = record.after,
                   .items = record.items,
                   .originals = record.originals,
                   .strategy = record.strategy,
                   .why = record.why,
                   .audit = record.audit,
                   .cost = record.cost,
                   .pause_ms = record.pause_ms};
  for (auto id : touched) event.touched.push_back(ItemId{id});
  world_.store.remember(event);
  world_.emit(std::move(event));
  return true;
}

void Compactor::log_failure(const std::string& why, Tier tier) {
  Compaction event{.phase = CompactionPhase::failed, .tier = tier, .why = why};
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
  const bool mid_task = std::any_of(last.blocks.begin(), last.blocks.end(),
                                    [](const Block& block) { return std::holds_alternative<ToolResult>(block); });
  if (!mid_task || count(before) - count(context.conversation) < count(before) / 10) return;
  auto text = resume_text(before, context.conversation, budget_of(context), world_.todos, world_.root);
  if (text.empty()) return;
  Item item;
  item.role = Role::user;
  item.synthetic = true;
  item.blocks.push_back(Text{std::move(text)});
  world_.append(std::move(item));
}

}  // namespace tern
