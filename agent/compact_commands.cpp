// The Compactor's slower side: drafts made ahead, and what the person asks for: /compact, preview, undo, pins.
#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "agent/compactor.h"
#include "compression/check.h"
#include "compression/tokens.h"

namespace tern {
namespace {

Tokens used_of(const Context& context) { return usage(context.conversation, budget_of(context)).used; }

std::string first_words(const Item& item) {
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block))
      return text->text.substr(0, std::min<std::size_t>(text->text.find('\n'), 60));
    if (const auto* result = std::get_if<ToolResult>(&block)) return result->tool + ' ' + result->subject;
    if (std::holds_alternative<Summary>(block)) return "an earlier summary";
  }
  return "a message";
}

std::string describe_range(const std::vector<ItemPtr>& items) {
  if (items.empty()) return "nothing";
  return std::to_string(items.size()) + " messages, from \"" + first_words(*items.front()) + "\" to \"" +
         first_words(*items.back()) + '"';
}

std::string describe_edits(const Edits& edits) {
  std::string text;
  std::size_t more = 0;
  for (const auto& edit : edits) {
    if (text.size() > 4'000)
      ++more;
    else
      text += "- " + edit.why.unit + ": " + edit.why.why + " (" + thousands(edit.saved) + " tokens)\n";
  }
  return more ? text + "… and " + std::to_string(more) + " more\n" : text;
}

std::vector<ItemPtr> targets(const Conversation& conversation, const Edits& edits) {
  std::unordered_set<std::uint64_t> ids;
  for (const auto& edit : edits)
    if (!std::holds_alternative<Insert>(edit.how)) ids.insert(edit.target.value);
  std::vector<ItemPtr> items;
  for (const auto& item : conversation.items)
    if (ids.count(item->id.value)) items.push_back(item);
  return items;
}

bool all_stand(const Conversation& conversation, const std::vector<ItemPtr>& items) {
  std::unordered_set<const Item*> standing;
  for (const auto& item : conversation.items) standing.insert(item.get());
  return std::all_of(items.begin(), items.end(), [&](const ItemPtr& item) { return standing.count(item.get()) > 0; });
}

}  // namespace

std::optional<ModelInfo> Compactor::small_model(const Context& context) const {
  const auto& wanted = context.config.small_model.empty() ? context.model.small_model : context.config.small_model;
  if (wanted.empty()) return std::nullopt;
  auto name = world_.models.resolve(wanted);
  if (!name) name = ModelName{context.model.provider, wanted};
  auto model = world_.models.find(name->provider, name->model);
  if (model.provider == context.model.provider && model.name == context.model.name) return std::nullopt;
  return model;
}

// From draft_at on, the summary is written in the background, so that at compact_at nobody waits for it.
void Compactor::maybe_draft(Context& context) {
  const double share = fill_share(context);
  const auto& config = context.config;
  const double next =
      share + static_cast<double>(context.gauges.forecast().per_turn()) / static_cast<double>(working_limit(budget_of(context)));
  const bool soon = share >= config.draft_at || (next >= config.compact_at && share >= config.micro_at * 0.9) ||
                    (share >= config.micro_at * 0.9 && used_of(context) >= config.trigger_tokens * 9 / 10) ||
                    context.conversation.items.size() >= static_cast<std::size_t>(config.trigger_messages) * 9 / 10;
  if (draft_ || !soon || share >= config.truncate_at) return;
  auto now = state(context);
  now.manual = true;
  if (const Plan ahead = plan(context.conversation, budget_of(context), now); ahead.ask) start_draft(context, *ahead.ask);
}

bool Compactor::start_draft(Context& context, const SummaryRequest& ask) {
  if (failures_ >= 3 || draft_failed_at_ + context.window() / 50 > used_of(context)) return false;
  auto covered = covered_items(context.conversation, ask.covers);
  if (covered.empty()) return false;
  const auto small = small_model(context);
  const auto& model = small ? *small : context.model;
  auto provider = world_.connect(model);
  if (!provider) return false;
  auto request = summary_wire_request(ask, model, small ? SharedPrefix{} : SharedPrefix{context.prompt.text, context.tools});
  draft_ = std::make_unique<Draft>(ask, std::move(covered), model, std::move(provider), std::move(request));
  world_.emit(Compaction{.phase = CompactionPhase::drafting,
                         .tier = Tier::compact,
                         .before = used_of(context),
                         .strategy = "draft by " + model.name});
  return true;
}

Compactor::Step Compactor::swap_draft(Context& context) {
  const auto draft = std::move(draft_);
  const auto& answer = draft->answer();
  const double cost = draft->model().dollars(answer.usage);
  if (answer.usage_reported) {
    context.gauges.spent(cost, draft->model().priced);
    world_.store.add_usage({world_.turn,
                            draft->model().provider,
                            draft->model().name,
                            "draft",
                            answer.usage.input,
                            answer.usage.output,
                            answer.usage.cache_read,
                            answer.usage.cache_write,
                            cost,
                            0,
                            {},
                            world_.now()});
  }
  if (!draft->untouched(context.conversation)) {
    log_failure("the draft was dropped: what it covers has changed", Tier::compact);
    return Step::nothing;
  }
  auto ask = draft->request();
  ask.new_id = world_.store.next_item();
  ask.now = world_.now();
  auto made = answer.error.empty() ? with_summary(ask, answer.text, answer.complete) : Rejected{answer.error};
  if (const auto* rejected = std::get_if<Rejected>(&made)) {
    ++failures_;
    draft_failed_at_ = used_of(context);
    log_failure("the draft by " + draft->model().name + " was rejected: " + rejected->why, Tier::compact);
    return Step::nothing;
  }
  failures_ = 0;
  world_.emit(Compaction{.phase = CompactionPhase::draft_ready, .tier = Tier::compact, .before = used_of(context)});
  return commit(context, {.edits = std::get<Edits>(std::move(made)),
                          .tier = Tier::compact,
                          .strategy = ask.style == SummaryStyle::snapshot ? "snapshot" : "sections",
                          .model = draft->model().name,
                          .why = "summary drafted ahead, swapped in",
                          .summary = bare_summary(answer.text),
                          .index = ask.index,
                          .dollars = cost,
                          .covers = ask.covers})
             ? Step::changed
             : Step::nothing;
}

void Compactor::compact(Context& context, const Compact& command, std::stop_token stop) {
  auto now = state(context);
  now.manual = true;
  now.failures_in_a_row = 0;  // the person closes the breaker
  now.refills_in_a_row = 0;
  now.strategy = command.strategy;
  now.range = command.range;
  if (!command.focus.empty()) now.focus = command.focus;
  auto budget = budget_of(context);
  const Plan due = plan(context.conversation, budget, now);
  if (due.edits.empty() && !due.ask) {
    world_.emit(Notice{Level::info, "Nothing to compact" + (due.why.empty() ? std::string(".") : ": " + due.why)});
    return;
  }
  const auto tier = due.tier == Tier::none ? Tier::compact : due.tier;
  std::optional<Result> result;
  if (due.ask) {
    result = summarise(context, due, now, stop);
    if (result && !result->model.empty()) failures_ = 0;
  } else {
    result = Result{.edits = due.edits, .tier = tier, .strategy = due.edits.front().why.unit, .why = due.why};
  }
  if (!result) return;
  if (result->why.empty()) result->why = "asked for";
  if (!command.preview) {
    commit(context, std::move(*result));
    return;
  }
  auto covered =
      result->covers ? covered_items(context.conversation, *result->covers) : targets(context.conversation, result->edits);
  const auto after = tern::apply(context.conversation, result->edits);
  const auto cost = cut_cost(count(context.conversation) - count(after), count(after), context.gauges.cache(), world_.now(),
                             context.model, result->dollars);
  PreviewReady ready{next_preview_++,
                     describe_range(covered),
                     std::to_string(after.items.size()) + " messages",
                     {},
                     result->strategy,
                     used_of(context),
                     usage(after, budget).used,
                     cost.now,
                     cost.per_turn};
  ready.draft = result->summary.empty() ? describe_edits(result->edits) : result->summary;
  preview_ = Preview{ready.id, std::move(*result), due.ask, std::move(covered)};
  world_.emit(std::move(ready));
}

void Compactor::settle_preview(Context& context, const AcceptPreview& answer) {
  auto preview = std::exchange(preview_, std::nullopt);
  if (!preview || preview->id != answer.id) {
    world_.emit(Notice{Level::warning, "That preview is no longer open: /compact --preview makes a new one."});
  } else if (!answer.accept) {
    world_.emit(Notice{Level::info, "Discarded; the context is as it was."});
  } else if (!all_stand(context.conversation, preview->covered)) {
    world_.emit(Notice{Level::warning, "The messages it covers have changed since: /compact --preview makes a new one."});
  } else {
    auto& result = preview->result;
    if (!answer.edited.empty() && answer.edited != result.summary && preview->ask && !result.summary.empty()) {
      auto ask = *preview->ask;
      ask.new_id = world_.store.next_item();
      ask.now = world_.now();
      auto made = with_summary(ask, answer.edited, true);
      if (const auto* rejected = std::get_if<Rejected>(&made)) {
        world_.emit(Notice{Level::error, "Your version was not taken: " + rejected->why + ". The preview is discarded."});
        return;
      }
      result.edits = std::get<Edits>(std::move(made));
      result.summary = answer.edited;
    }
    commit(context, std::move(result));
  }
}

void Compactor::undo(Context& context, int steps) {
  const bool redo = steps < 0;
  for (int i = 0; i < std::abs(steps); ++i) {
    const auto batches = redo ? world_.store.redoable() : world_.store.undoable();
    if (batches.empty()) {
      world_.emit(Notice{Level::info, redo ? "No undone compaction to redo." : "No compaction to undo."});
      return;
    }
    const auto batch = batches.front();
    const auto before = used_of(context);
    auto after = redo ? world_.store.redo(batch) : world_.store.undo(batch);
    if (!after) return;
    auto gauges = context.gauges;
    const auto old = std::exchange(context.conversation, repair(*after));
    context.gauges.cut();
    if (const auto used = used_of(context);
        !redo && static_cast<double>(used) >= context.config.truncate_at * static_cast<double>(budget_of(context).effective())) {
      const auto room = budget_of(context).effective();
      world_.store.redo(batch);
      context.conversation = old;
      context.gauges = gauges;
      world_.emit(Notice{Level::warning, "Not undone: it would be " + thousands(used) + " of " + thousands(room) +
                                             " tokens. Bring parts back instead: /recall ID, or /pin ID."});
      return;
    }
    draft_.reset();
    preview_.reset();
    context.gauges.freed(before - used_of(context));
    Compaction event{.phase = redo ? CompactionPhase::redone : CompactionPhase::undone,
                     .batch = batch,
                     .before = before,
                     .after = used_of(context)};
    world_.store.remember(event);
    world_.emit(std::move(event));
  }
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

std::string Compactor::status() const {
  std::string text = "draft: ";
  text += draft_pending() ? "being written" : draft_ready() ? "ready" : "none";
  text += "\nbreaker: " + (failures_ >= 3 ? std::string("open after 3 failures, local summaries only until /compact works")
                                          : std::to_string(failures_) + " of 3 failures");
  if (!waiting_for_.empty()) text += "\nmicrocompact waits: " + waiting_for_;
  return text;
}

}  // namespace tern
