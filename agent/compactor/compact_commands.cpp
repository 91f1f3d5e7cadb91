// The Compactor's slower side: what the person asks for: /compact, preview, undo.
#include <algorithm>
#include <unordered_set>

#include "agent/compactor/compaction_account.h"
#include "agent/compactor/compactor.h"
#include "agent/store/compaction_text.h"
#include "compression/plan/strategies.h"
#include "compression/reading/kept_words.h"
#include "compression/values/check.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

// What stays as it is behind the last message covered.
std::vector<ItemPtr> kept_tail(const Conversation& conversation, const std::vector<ItemPtr>& covered) {
  const auto& items = conversation.items;
  if (covered.empty()) return items;
  const auto last = std::find(items.begin(), items.end(), covered.back());
  return {last == items.end() ? last : last + 1, items.end()};
}

std::vector<ItemId> changed_between(const Conversation& before, const Conversation& after) {
  std::unordered_set<const Item*> standing;
  for (const auto& item : before.items) standing.insert(item.get());
  std::vector<ItemId> changed;
  for (const auto& item : after.items)
    if (!standing.count(item.get())) changed.push_back(item->id);
  return changed;
}

// What of a picked range stands in the context: by place, since summaries stand early and carry late ids.
std::optional<ItemRange> standing_range(const Conversation& conversation, ItemRange wanted) {
  const auto& items = conversation.items;
  const auto begins = [&](const ItemPtr& item) {
    if (item->role == Role::system) return false;
    return item->id == wanted.first || (item->synthetic ? wanted.first.value <= 1 : item->id >= wanted.first);
  };
  const auto first = std::find_if(items.begin(), items.end(), begins);
  const auto end = std::find_if(
      first, items.end(), [&](const ItemPtr& item) { return !item->synthetic && item->id > wanted.last; });
  if (first == end) return std::nullopt;
  return ItemRange{(*first)->id, (*(end - 1))->id};
}

// What tern itself puts under a model's summary.
std::string appended(const SummaryRequest& ask) {
  const auto quotes = quoted_messages(ask.kept);
  std::string text;
  if (quotes > 0)
    text +=
        "; " + std::to_string(quotes) + (quotes == 1 ? " message" : " messages") + " of yours word for word";
  if (!ask.index.empty()) text += "; an index of " + thousands(estimate(ask.index)) + " tokens";
  return text;
}

bool all_stand(const Conversation& conversation, const std::vector<ItemPtr>& items) {
  std::unordered_set<const Item*> standing;
  for (const auto& item : conversation.items) standing.insert(item.get());
  return std::all_of(items.begin(), items.end(),
                     [&](const ItemPtr& item) { return standing.count(item.get()) > 0; });
}

std::string nothing_to_compact(std::string why) {
  const std::string asked = std::string(kAskedFor) + "; ";
  if (why.starts_with(asked)) why.erase(0, asked.size());
  return "Nothing to compact" + (why.empty() ? std::string(".") : ": " + why);
}

}  // namespace

// A plain /compact uses the draft that is already written or on its way. Returns false when there is none, or
// when it is unusable.
bool Compactor::settled_by_draft(Context& context, bool preview, std::stop_token stop) {
  if (!held_.draft || !held_.draft->untouched(context.conversation)) return false;
  const auto waited = draft_pending() ? wait_for_draft(context, kAskedFor, stop) : -1;
  if (draft_pending()) return log_failure("cancelled; the draft goes on", Tier::compact), true;
  if (preview) return preview_draft(context);
  state_.hold_until = 0;
  return swap_draft(context, kAskedFor, waited) == Step::changed;
}

void Compactor::compact(Context& context, const Compact& command, std::stop_token stop) {
  if (command.strategy == kFresh) return begin_anew(context, command);
  if (!command.strategy.empty() && !is_compaction(command.strategy)) {
    world_.emit(Notice{Level::warning, "There is no strategy \"" + command.strategy +
                                           "\". There is: " + compaction_names() + "."});
    return;
  }
  cause_ = Cause::asked;
  const bool as_drafted = command.focus.empty() && command.strategy.empty() && !command.range;
  if (as_drafted && settled_by_draft(context, command.preview, stop)) return;
  auto now = plan_state(context);
  now.manual = true;
  now.failures_in_a_row = 0;  // the person closes the breaker
  now.refills_in_a_row = 0;
  now.strategy = command.strategy;
  if (command.range && !(now.range = standing_range(context.conversation, *command.range)))
    return world_.emit(
        Notice{Level::info, "Nothing to compact: no message of that range is in the context."});
  if (!command.focus.empty()) now.focus += (now.focus.empty() ? "" : "\n\n") + command.focus;
  Plan due = plan(context.conversation, budget_of(context), now);
  if (due.edits.empty() && !due.ask) return world_.emit(Notice{Level::info, nothing_to_compact(due.why)});
  if (!steered(context, due, now)) return;
  const auto tier = due.tier == Tier::none ? Tier::compact : due.tier;
  std::optional<Result> result;
  if (due.ask) {
    result = summarise(context, due, now, stop);
    if (result && !result->model.empty()) state_.failures = 0;
  } else {
    result = Result{.edits = due.edits, .tier = tier, .strategy = due.strategy, .why = due.why};
  }
  if (!result) return;
  if (result->why.empty()) result->why = kAskedFor;
  state_.hold_until = 0;
  if (command.preview)
    show_preview(context, due.ask ? &*due.ask : nullptr, std::move(*result));
  else
    commit(context, std::move(*result));
}

// /fresh, and NewContext of the model.
void Compactor::begin_anew(Context& context, const Compact& command) {
  cause_ = Cause::asked;
  auto made = fresh(context, command.focus);
  if (const auto* rejected = std::get_if<Rejected>(&made))
    return world_.emit(Notice{Level::info, rejected->why});
  auto& result = std::get<Result>(made);
  state_.hold_until = 0;
  if (command.preview) return show_preview(context, nullptr, std::move(result));
  if (commit(context, std::move(result))) window_began();
}

// The draft itself stays: what is discarded here may still be due later. False when it is none.
bool Compactor::preview_draft(Context& context) {
  keep_draft(context);
  if (!held_.draft) return false;
  auto made = taken(held_.draft->request(), held_.draft->work(), held_.draft->answer(), held_.draft->model());
  if (const auto* rejected = std::get_if<Rejected>(&made)) {
    draft_failed(context, rejected->why);
    return false;
  }
  auto result = std::get<Result>(std::move(made));
  result.dollars = held_.dollars;
  result.why = kAskedFor;
  show_preview(context, &held_.draft->request(), std::move(result));
  return true;
}

void Compactor::show_preview(Context& context, const SummaryRequest* ask, Result result) {
  const auto& before = context.conversation;
  auto covered = result.covers ? covered_items(before, *result.covers) : targets(before, result.edits);
  const auto after = tern::apply(before, result.edits);
  const auto now = world_.now();
  const auto cost = cut_cost(count(before) - count(after), cache_cost(before, result.edits, true).rewritten,
                             context.gauges.cache(), now, context.model, context.gauges.requests_per_turn(),
                             result.dollars);
  const auto budget = budget_of(context);
  PreviewReady ready{.id = next_preview_++,
                     .range = describe_range(covered),
                     .kept = describe_range(kept_tail(before, covered)),
                     .draft = result.summary.empty() ? describe_edits(result.edits) : result.summary,
                     .strategy = result.strategy + (result.model.empty() ? "" : " by " + result.model),
                     .before = used_of(context),
                     .after = usage(after, budget).used,
                     .cost = describe(cost, context.gauges.cache(), now)};
  if (cost.known && cost.per_turn > 0) {
    const auto dollars = cost.per_turn / cost.requests / static_cast<double>(count(before) - count(after));
    ready.cost += " · a request's input " + money(dollars * static_cast<double>(ready.before)) + " → " +
                  money(dollars * static_cast<double>(ready.after));
  }
  if (ask) ready.kept += appended(*ask);
  preview_ = Preview{ready.id, std::move(result), ask ? std::optional(*ask) : std::nullopt,
                     std::move(covered), ready};
  world_.emit(std::move(ready));
}

void Compactor::settle_preview(Context& context, const AcceptPreview& answer) {
  auto preview = std::exchange(preview_, std::nullopt);
  if (!preview || preview->id != answer.id) {
    world_.emit(
        Notice{Level::warning, "That preview is no longer open: /compact --preview makes a new one."});
  } else if (!answer.accept) {
    decided(Decided::preview, "discarded: " + preview->result.strategy);
    world_.emit(Notice{Level::info, "Discarded; the context is unchanged."});
  } else if (!all_stand(context.conversation, preview->covered)) {
    world_.emit(Notice{Level::warning,
                       "The messages it covers have changed since: /compact --preview makes a new one."});
  } else {
    cause_ = Cause::asked;
    auto& result = preview->result;
    if (!answer.edited.empty() && answer.edited != result.summary && preview->ask &&
        !result.summary.empty()) {
      auto ask = *preview->ask;
      ask.new_id = world_.store.next_item();
      ask.now = world_.now();
      auto made = with_summary(ask, answer.edited, true);
      if (const auto* rejected = std::get_if<Rejected>(&made)) {  // still paid for: the person may shorten it
        world_.emit(Notice{Level::error,
                           "Your version can't be used: " + rejected->why + ". The preview stays open."});
        preview->shown.draft = answer.edited;
        preview_ = std::move(preview);
        return world_.emit(preview_->shown);
      }
      result.edits = std::get<Edits>(std::move(made));
      result.summary = answer.edited;
      result.model += result.model.empty() ? "edited by hand" : ", edited by hand";
    }
    commit(context, std::move(result));
  }
}

void Compactor::undo(Context& context, const UndoCompact& command) {
  if (!command.parts.empty()) return return_to_context(context, command.parts);
  const bool redo = command.steps < 0;
  for (int i = 0; i < std::abs(command.steps); ++i) {
    const auto batches = redo ? world_.store.redoable() : world_.store.undoable();
    if (batches.empty()) {
      world_.emit(Notice{Level::info, redo ? "No undone compaction to redo." : "No compaction to undo."});
      return;
    }
    if (!take_back(context, batches.front(), redo)) return;
  }
}

// One batch out of the fold of the log, or into it again; what it covers is read from the log, so nothing
// else moves.
bool Compactor::take_back(Context& context, std::uint64_t batch, bool redo) {
  const auto before = used_of(context);
  auto after = redo ? world_.store.redo(batch) : world_.store.undo(batch);
  if (!after) return false;
  const auto gauges = context.gauges;
  const auto estimated = context.estimated();
  const auto old = std::exchange(context.conversation, repair(*after));
  context.gauges.cut(estimated, context.estimated());
  const auto used = used_of(context), room = budget_of(context).effective();
  if (!redo && static_cast<double>(used) >= context.config.truncate_at * static_cast<double>(room)) {
    world_.store.redo(batch);
    std::vector<std::string> ids;
    const auto parts = offer_parts(context.conversation, old, room * 9 / 10 - before, ids);
    context.conversation = old;
    context.gauges = gauges;
    auto text = "Not undone: it would be " + thousands(used) + " of " + thousands(room) + " tokens. ";
    if (ids.empty()) {
      text += "Its originals are kept: /recall ID opens one.";
    } else {
      text += "Parts of it fit: " + parts + ". Bring them back with /undo-compact";
      for (const auto& id : ids) text += " " + id;
    }
    world_.emit(Notice{Level::warning, std::move(text)});
    return false;
  }
  if (redo && count(context.conversation) >= count(old)) {
    world_.store.undo(batch);
    context.conversation = old;
    context.gauges = gauges;
    world_.emit(Notice{Level::info, "Not redone: those messages have been compacted in another way since."});
    return false;
  }
  drop_draft();
  preview_.reset();
  forget_files(old, context.conversation);
  const double share = fill_share(context);
  state_.hold_until =
      redo || share < context.config.micro_at ? 0 : share + (context.config.truncate_at - share) / 2;
  decided(redo ? Decided::redo : Decided::undo,
          std::string("#") + std::to_string(batch) + ": " + thousands(before) + " → " + thousands(used) +
              " tokens" +
              (state_.hold_until > 0 ? "; nothing is compacted until the context is much fuller" : ""));
  Compaction event{.phase = redo ? CompactionPhase::redone : CompactionPhase::undone,
                   .batch = batch,
                   .before = before,
                   .after = used,
                   .touched = redo ? changed_between(context.conversation, old)
                                   : changed_between(old, context.conversation)};
  for (const auto& row : world_.store.compactions())
    if (row.batch == batch) {
      event.tier = row.tier, event.cause = row.cause;
      // As it was counted, unless what other compactions did since leaves less to move.
      const auto counted = row.before - row.after, moved = redo ? before - used : used - before;
      const auto freed = std::abs(counted - moved) <= counted / 50 ? counted : moved;
      context.gauges.freed(redo ? freed : -freed);
    }
  world_.store.remember(event);
  world_.emit(std::move(event));
  return true;
}

// Single originals that stand nowhere in the context, shown anew at its end.
void Compactor::bring_back(Context& context, const std::vector<std::string>& ids) {
  for (const auto& name : ids) {
    const auto id = parse_recall_id(name);
    const auto text = id ? world_.store.text(id) : std::nullopt;
    if (!text) {
      world_.emit(Notice{Level::warning, "There is no " + name + "."});
      continue;
    }
    if (!has_room_for(context, name, estimate(*text))) continue;
    Item item;
    item.role = Role::user;
    item.synthetic = true;
    item.blocks.push_back(Text{"[Brought back by the user: " + name + "]\n" + *text});
    world_.append(std::move(item));
    decided(Decided::bring_back, name + " asked for by the user");
    world_.emit(
        Notice{Level::info, "Back in the context: " + name + " (" + thousands(estimate(*text)) + " tokens)"});
  }
}

std::string Compactor::status() const {
  std::string text;
  if (draft_pending() || draft_ready())
    text += draft_ready() ? "the next summary is drafted\n" : "drafting the next summary\n";
  if (state_.failures > 0)
    text += std::to_string(state_.failures) + (state_.failures == 1 ? " summary" : " summaries") +
            " failed in a row" +
            (state_.failures >= 3 ? ": compacting without a model until a manual /compact works\n" : "\n");
  if (!waiting_for_.empty()) text += "microcompact waits: " + waiting_for_ + "\n";
  if (state_.hold_until > 0)
    text += "paused: what you brought back stays until " +
            std::to_string(static_cast<int>(state_.hold_until * 100)) + "%\n";
  return text;
}

}  // namespace tern
