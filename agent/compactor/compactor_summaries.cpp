// The Compactor's summaries: made while somebody waits, or drafted ahead; by the small model, the main one,
// or none.
#include <algorithm>

#include "agent/compactor/compactor.h"
#include "compression/plan/microcompact.h"
#include "compression/plan/summary_local.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr double unhurried = 0.9;  // of micro_at: from here on a jump over compact_at is foreseen
constexpr std::chrono::minutes rest_of_a_model{10};

std::string style_name(SummaryStyle style) {
  return style == SummaryStyle::snapshot ? "snapshot" : "sections";
}

std::string id_of(const ModelInfo& model) { return model.provider + "/" + model.name; }

std::string in_parts(std::size_t parts) {
  return parts > 1 ? " in " + std::to_string(parts) + " parts at once" : "";
}

}  // namespace

// The models that may write a summary, the cheap one first.
std::vector<ModelInfo> Compactor::ladder(const Context& context) const {
  const auto& wanted =
      context.config.small_model.empty() ? context.model.small_model : context.config.small_model;
  if (wanted.empty()) return {context.model};
  auto name = world_.models.resolve(wanted);
  if (!name) name = ModelName{context.model.provider, wanted};
  auto small = world_.models.find(name->provider, name->model);
  if (small.provider == context.model.provider && small.name == context.model.name) return {context.model};
  return {std::move(small), context.model};
}

// Those of them that may be asked now: not one whose summary was just refused, nor a small model that rests.
std::vector<ModelInfo> Compactor::askable(const Context& context) const {
  auto models = ladder(context);
  std::erase_if(models, [&](const ModelInfo& model) {
    const auto resting = resting_.find(id_of(model));
    return refused_.count(id_of(model)) > 0 || (resting != resting_.end() && world_.now() < resting->second);
  });
  return models;
}

// A small model that failed is left alone for a while: each try would cost the same wait again. The main
// model never rests.
void Compactor::rest(const Context& context, const ModelInfo& model, const std::string& why) {
  refused_.insert(id_of(model));
  if (id_of(model) == id_of(context.model)) return;
  resting_[id_of(model)] = world_.now() + rest_of_a_model;
  decided(Decided::small_model,
          model.name + " is not asked for " + std::to_string(rest_of_a_model.count()) + " minutes: " + why);
}

// The ladder: small model, main model, no model, removal. Truncation is the next step's. Whose draft has just
// failed is not asked again while somebody waits.
std::optional<Compactor::Result> Compactor::summarise(Context& context, const Plan& due, const PlanState& now,
                                                      std::stop_token stop) {
  const auto begin = world_.now();
  tell(CompactionPhase::needed, context, due.tier, {}, due.why);
  tell(CompactionPhase::started, context, due.tier, "summarize", due.why);
  if (now.manual) refused_.clear();
  const auto models = askable(context);
  const bool asked = !models.empty();
  if (asked) ++pauses_;
  std::optional<Result> result;
  for (const auto& model : models) {
    if (stop.stop_requested()) break;
    if ((result = by_model(context, *due.ask, model, stop))) break;
  }
  if (!result && stop.stop_requested()) {
    log_failure("cancelled", due.tier);
    return std::nullopt;
  }
  if (asked && !now.manual) count_failure(!result);
  const bool refused = !result;
  if (refused) result = without_model(context, now, due.ask->replaces);
  if (!result) {
    log_failure(now.range ? "no summary of that stretch would be smaller than it"
                          : "no summary fits and nothing may be removed",
                due.tier);
    return std::nullopt;
  }
  result->why = due.why + (refused ? "; no model's summary was taken, so without one" : "");
  result->pause_ms = (world_.now() - begin).count();
  return result;
}

// Three in a row open the breaker.
void Compactor::count_failure(bool failed) {
  state_.failures = failed ? state_.failures + 1 : 0;
  if (state_.failures == 3)
    world_.emit(
        Notice{Level::warning,
               "Three summaries failed in a row: compacting without a model until a manual /compact works."});
}

// The requests for one summary, and a connection for each. None when there is no way to that model.
std::optional<Compactor::Job> Compactor::job_for(const Context& context, const SummaryRequest& ask,
                                                 const ModelInfo& model) {
  const bool main = model.provider == context.model.provider && model.name == context.model.name;
  SharedPrefix shared;
  if (main) shared = {context.prompt.text, context.tools, context.gauges.cache().warm(world_.now())};
  auto bounded = model;  // what fits the conversation's window is asked for within it, whatever a table says
                         // of the small model
  bounded.window = std::min(model.window, context.window());
  Job job{{}, summary_work(ask, world_.store, bounded, shared)};
  for (std::size_t i = 0; i < job.work.requests.size(); ++i) {
    job.providers.push_back(world_.connect(model));
    if (!job.providers.back()) return std::nullopt;
  }
  if (job.providers.empty()) return std::nullopt;
  return job;
}

// What a summary cost joins the session's account once, when its answer is first seen.
double Compactor::account(Context& context, const SummaryAnswer& answer, const ModelInfo& model,
                          const char* purpose) {
  const double cost = model.dollars(answer.usage);
  if (!answer.usage_reported) return cost;
  context.gauges.spent(cost, model.priced);
  const auto& usage = answer.usage;
  world_.store.add_usage({world_.turn,
                          model.provider,
                          model.name,
                          purpose,
                          usage.input,
                          usage.output,
                          usage.cache_read,
                          usage.cache_write,
                          cost,
                          0,
                          {},
                          world_.now()});
  return cost;
}

// The edits an answer means, or why it is not taken.
std::variant<Compactor::Result, Rejected> Compactor::taken(SummaryRequest ask, const SummaryWork& work,
                                                           const SummaryAnswer& answer,
                                                           const ModelInfo& model) {
  if (!answer.error.empty()) return Rejected{answer.error};
  ask.new_id = world_.store.next_item();
  ask.now = world_.now();
  auto made = with_summary(ask, answer.text, answer.complete);
  if (auto* rejected = std::get_if<Rejected>(&made)) return std::move(*rejected);
  keep_leaves(world_.store, work, answer, ask.new_id);
  return Result{.edits = std::get<Edits>(std::move(made)),
                .tier = Tier::compact,
                .strategy = style_name(ask.style),
                .model = model.name,
                .summary = bare_summary(answer.text),
                .index = ask.index,
                .covers = ask.covers};
}

std::optional<Compactor::Result> Compactor::by_model(Context& context, const SummaryRequest& ask,
                                                     const ModelInfo& model, std::stop_token stop) {
  auto job = job_for(context, ask, model);
  if (!job) return std::nullopt;
  tell(CompactionPhase::progress, context, Tier::compact,
       "summary by " + model.name + in_parts(job->work.requests.size()));
  SummaryAnswer answer;
  world_.attend([&] { answer = ask_for_summary(job->providers, job->work, stop); });
  const double cost = account(context, answer, model, "summary");
  if (answer.cancelled) return std::nullopt;
  auto made = taken(ask, job->work, answer, model);
  if (const auto* rejected = std::get_if<Rejected>(&made)) {
    log_failure("summary by " + model.name + " rejected: " + rejected->why, Tier::compact,
                Decided::summary_failed);
    rest(context, model, rejected->why);
    return std::nullopt;
  }
  auto result = std::get<Result>(std::move(made));
  result.dollars = cost;
  return result;
}

std::optional<Compactor::Result> Compactor::without_model(Context& context, const PlanState& now,
                                                          Tokens replaced) {
  const auto budget = budget_of(context);
  const auto spared =
      sparing_what_fits(context.conversation, budget, item_target(budget, newest_results), Spared::rounds);
  if (auto edits = local_summary(context.conversation, spared, now); !edits.empty())
    return Result{.edits = std::move(edits), .tier = Tier::compact, .strategy = "local"};
  if (now.range) return std::nullopt;  // nothing outside the picked stretch pays for it
  const auto target = count(context.conversation) - replaced / 2;
  if (auto edits = remove_messages(context.conversation, budget, target); !edits.empty()) {
    std::string strategy = edits.front().why.unit;
    return Result{.edits = std::move(edits), .tier = Tier::compact, .strategy = std::move(strategy)};
  }
  return std::nullopt;
}

// The one-liners of a microcompaction by the small model; the local ones stand where it gives none.
Edits Compactor::lines_by_model(Context& context, Edits edits, std::stop_token stop) {
  const auto model = ladder(context).front();
  const auto wanted = micro_request(context.conversation, edits);
  Job job;
  job.providers.push_back(world_.connect(model));
  if (!job.providers.back() || wanted.input.empty()) return edits;
  Item item;
  item.role = Role::user;
  item.blocks.push_back(Text{wanted.instructions + "\n\n" + wanted.input});
  Request request;
  request.model = model.name;
  request.window = model.window;
  request.max_output = std::min(wanted.max_output + room_for_thoughts(model), model.reserve());
  request.may_call_tools = false;
  request.has_fallback = true;
  request.conversation.items.push_back(make_item(std::move(item)));
  if (count(request.conversation) + request.max_output > model.window * 9 / 10) return edits;
  job.work.requests.push_back(std::move(request));
  tell(CompactionPhase::started, context, Tier::micro, "one-liners by " + model.name);
  SummaryAnswer answer;
  world_.attend([&] { answer = ask_for_summary(job.providers, job.work, stop); });
  account(context, answer, model, "micro");
  if (!answer.error.empty())
    decided(Decided::one_liners, "one-liners by " + model.name + " failed: " + answer.error);
  return with_micro_answer(context.conversation, std::move(edits), answer.text);
}

// From draft_at on, the summary is written in the background, so that at compact_at nobody waits for it.
void Compactor::maybe_draft(Context& context) {
  const double share = fill_share(context);
  const auto& config = context.config;
  const double next = share + static_cast<double>(context.gauges.forecast().per_turn()) /
                                  static_cast<double>(working_limit(budget_of(context)));
  const bool busy = share >= config.micro_at * unhurried;
  const bool soon =
      share >= config.draft_at || (next >= config.compact_at && busy) ||
      (busy && used_of(context) >= config.trigger_tokens * 9 / 10) ||
      context.conversation.items.size() >= static_cast<std::size_t>(config.trigger_messages) * 9 / 10;
  if (held_.draft || !waiting_for_.empty() || !soon || share >= config.truncate_at || state_.holds(share))
    return;
  if (!notes_suffice(context).empty()) return;  // the next window begins by notes
  auto now = plan_state(context);
  const bool by_messages =
      context.conversation.items.size() >= static_cast<std::size_t>(config.trigger_messages) * 9 / 10;
  if (!by_messages && results_suffice(context.conversation, budget_of(context), now))
    return;  // no summary will be needed
  now.manual = true;
  Plan ahead = plan(context.conversation, budget_of(context), now);
  const bool possible = state_.failures < 3 && (held_.failed_at || !askable(context).empty());
  if (ahead.ask && possible && steered(context, ahead, now) && ahead.ask)
    start_draft(context, *ahead.ask,
                "at " + std::to_string(static_cast<int>(share * 100)) + "%, before it is due");
}

bool Compactor::start_draft(Context& context, const SummaryRequest& ask, const std::string& why) {
  if (held_.failed_at && *held_.failed_at + context.window() / 50 <= used_of(context)) {
    held_.failed_at.reset();  // much has been said since: another try
    refused_.clear();
  }
  const auto models = askable(context);
  if (state_.failures >= 3 || models.empty()) return false;
  auto covered = covered_items(context.conversation, ask.covers);
  if (covered.empty()) return false;
  const auto& model = models.front();
  auto job = job_for(context, ask, model);
  if (!job) return false;
  const auto parts = job->work.requests.size();
  held_.draft = std::make_unique<Draft>(ask, std::move(covered), model, std::move(job->providers),
                                        std::move(job->work), world_.draft_ended);
  held_.kept = false;
  const auto by = "draft by " + model.name + in_parts(parts);
  decided(Decided::draft, by + " " + why);
  tell(CompactionPhase::drafting, context, Tier::compact, by);
  return true;
}

// A finished draft goes into the store with what it cost: it is good over a restart, and nothing is paid
// twice.
void Compactor::keep_draft(Context& context) {
  if (!held_.draft || !held_.draft->done() || held_.kept) return;
  held_.kept = true;
  held_.dollars = account(context, held_.draft->answer(), held_.draft->model(), "draft");
  if (held_.draft->answer().cancelled) return;
  if (const auto error = held_.draft->answer().error; !error.empty()) return draft_failed(context, error);
  world_.store.put_draft(held_.draft->record(held_.dollars));
}

// The next model of the ladder writes the next one. When all have failed it is a failure of the whole ladder.
void Compactor::draft_failed(const Context& context, const std::string& why) {
  const auto model = held_.draft->model();
  drop_draft();
  log_failure("the draft by " + model.name + " was rejected: " + why, Tier::compact, Decided::summary_failed);
  rest(context, model, why);
  if (!askable(context).empty()) return;
  held_.failed_at = used_of(context);
  count_failure(true);
}

void Compactor::drop_draft() {
  if (held_.draft) world_.store.drop_draft();
  held_.draft.reset();
}

// After a restart: the stored draft, when the messages it covers stand as they stood.
void Compactor::restore_draft(const Context& context) {
  held_.draft.reset();
  const auto record = world_.store.draft();
  if (!record) return;
  auto covered = covered_items(context.conversation, record->covers);
  const auto name = world_.models.resolve(record->model);
  if (covered.empty() || fingerprint(covered) != record->prefix_hash) return world_.store.drop_draft();
  auto budget = budget_of(context);
  budget.config.strategy = record->strategy;
  auto ask = summary_request(context.conversation, budget, record->covers, focus_, world_.now());
  auto model = name ? world_.models.find(name->provider, name->model) : context.model;
  held_.draft = std::make_unique<Draft>(std::move(ask), std::move(covered), std::move(model), *record);
  held_.kept = true;
  held_.dollars = record->dollars;
}

// Somebody waits for it: how long, in milliseconds.
std::int64_t Compactor::wait_for_draft(Context& context, const std::string& why, std::stop_token stop) {
  ++pauses_;
  tell(CompactionPhase::needed, context, Tier::compact, {}, why);
  tell(CompactionPhase::started, context, Tier::compact, "draft by " + held_.draft->model().name, why);
  const auto begin = world_.now();
  world_.attend([&] { held_.draft->wait(stop); });
  return (world_.now() - begin).count();
}

// `waited_ms` is negative when it was ready and nobody waited.
Compactor::Step Compactor::swap_draft(Context& context, const std::string& why, std::int64_t waited_ms) {
  keep_draft(context);
  if (!held_.draft) return Step::nothing;  // it had failed
  if (!held_.draft->untouched(context.conversation)) {
    drop_draft();
    log_failure("the draft was dropped: what it covers has changed", Tier::compact);
    return Step::nothing;
  }
  auto made = taken(held_.draft->request(), held_.draft->work(), held_.draft->answer(), held_.draft->model());
  if (const auto* rejected = std::get_if<Rejected>(&made)) {
    draft_failed(context, rejected->why);
    return Step::nothing;
  }
  drop_draft();
  state_.failures = 0;
  if (waited_ms < 0) tell(CompactionPhase::needed, context, Tier::compact, {}, why);
  tell(CompactionPhase::draft_ready, context, Tier::compact);
  auto result = std::get<Result>(std::move(made));
  result.dollars = held_.dollars;
  result.pause_ms = std::max<std::int64_t>(waited_ms, 0);
  result.why =
      why + (waited_ms < 0 ? "; the summary was drafted ahead" : "; the draft of the summary was waited for");
  if (!commit(context, std::move(result))) return Step::nothing;
  ++swapped_;
  return Step::changed;
}

}  // namespace tern
