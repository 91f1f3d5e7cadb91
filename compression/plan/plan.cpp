#include "compression/plan/plan.h"

#include <algorithm>

#include "compression/plan/microcompact.h"
#include "compression/plan/strategies.h"
#include "compression/plan/summary_local.h"
#include "compression/plan/window.h"
#include "compression/reading/condense.h"
#include "compression/reading/superseded.h"
#include "compression/values/blocks.h"
#include "compression/values/range.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr int breaker = 3, thrashing = 3;  // in a row
constexpr Tokens safety = 1'000;           // of the hard tier
constexpr double overflow_share =
    0.5;  // of what was refused: the estimate was wrong, so it is not asked again
constexpr double worth_a_break = 0.375;  // of the way from the mark to the low water
constexpr double requests_between = 25;  // two cuts, in recorded sessions
constexpr double worked_on =
    2.0 / 3;  // of the micro mark: so much may stay where the files being worked on need it

std::string thousands(Tokens tokens) {
  if (tokens < 1'000) return std::to_string(tokens);
  const auto tenths = std::to_string((tokens + 50) / 100);
  return tokens < 10'000 ? tenths.substr(0, 1) + "." + tenths.substr(1) + "k"
                         : tenths.substr(0, tenths.size() - 1) + "k";
}

std::string percent(double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)) + "%"; }

std::string name_of(const Item& item) {
  if (const auto results = blocks_of<ToolResult>(item); !results.empty())
    return results[0]->tool + " " + results[0]->subject;
  if (item.role == Role::system) return "the system prompt";
  return item.role == Role::user ? "a message of yours" : "an answer";
}

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

// Results and calls apart: nobody should take one for the other.
std::string what_shrinks(const Edits& edits) {
  std::size_t results = 0, calls = 0;
  for (const auto& edit : edits) {
    const auto* replace = std::get_if<Replace>(&edit.how);
    results += replace && std::holds_alternative<ToolResult>(replace->with);
    calls += replace && std::holds_alternative<ToolCall>(replace->with);
  }
  std::string text = counted(results, "old result");
  return calls ? text + ", " + counted(calls, "long call") : text;
}

// The largest items, for the person who has to decide what to do.
std::string what_fills(const Conversation& conversation) {
  constexpr std::size_t shown = 3;
  auto items = conversation.items;
  const auto larger = [](const ItemPtr& a, const ItemPtr& b) { return a->tokens > b->tokens; };
  const auto top = std::min(shown, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(top), items.end(), larger);
  std::string text;
  for (std::size_t i = 0; i < top; ++i)
    text += (i ? ", " : "") + name_of(*items[i]) + " (" + thousands(items[i]->tokens) + ")";
  return text;
}

// Who asks for a compaction below the usual goal wants one all the same: down to the usual share of what is
// there.
Budget by_hand(const Conversation& conversation, Budget budget) {
  constexpr double near = 0.75;  // of what is there: a goal above it gains too little
  const auto items = static_cast<double>(count(conversation));
  if (static_cast<double>(compaction_goal(budget)) <= near * items) return budget;
  auto& config = budget.config;
  const double used = config.compact_target * items + static_cast<double>(budget.fixed + budget.pending);
  config.compact_target =
      used * budget.calibration / static_cast<double>(working_limit(budget)) / config.compact_at;
  return budget;
}

class Planner {
 public:
  Planner(const Conversation& conversation, const Budget& budget, const PlanState& state)
      : conversation_(conversation),
        budget_(state.manual && !state.range ? by_hand(conversation, budget) : budget),
        config_(budget_.config),
        state_(state),
        usage_(usage(conversation, budget)) {
    share_ = static_cast<double>(usage_.used) / static_cast<double>(working_limit(budget));
  }

  bool results_suffice() const {
    if (config_.micro_at > config_.compact_at) return false;
    const auto edits = lighter(spared());
    return count(conversation_) - saved(edits) <=
           item_target(budget_, std::min(config_.micro_at, config_.draft_at));
  }

  Plan run() const {
    if (state_.manual) return compact(state_.why.empty() ? "asked for" : state_.why);
    if (!config_.auto_compress) return nothing("automatic compression is off");
    if (state_.overflow) return truncated("the API refused the length");
    if (usage_.share >= config_.truncate_at) return truncated(above(usage_.share, config_.truncate_at));
    if (state_.refills_in_a_row >= thrashing)
      return share_ >= config_.micro_at ? thrash() : nothing("many messages, but enough room");
    if (compaction_due(usage_, conversation_.items.size(), budget_)) return results_first();
    if (share_ >= config_.micro_at && worth_compacting(usage_, budget_)) return micro();
    if (config_.sliding_window) return window();
    return nothing("below every mark at " + percent(share_));
  }

 private:
  static Plan nothing(std::string why) {
    Plan plan;
    plan.why = std::move(why);
    return plan;
  }

  static std::string above(double share, double mark) {
    return percent(share) + " of the window, mark at " + percent(mark);
  }

  std::string why_due() const {
    if (config_.absolute_threshold) {
      return thousands(usage_.compressible) + " compressible tokens, threshold " +
             thousands(*config_.absolute_threshold);
    }
    if (share_ >= config_.compact_at) return above(share_, config_.compact_at);
    const auto messages = conversation_.items.size();
    if (messages > static_cast<std::size_t>(config_.trigger_messages))
      return std::to_string(messages) + " messages";
    return thousands(usage_.used) + " tokens, trigger at " + thousands(config_.trigger_tokens);
  }

  // --- tier 2 ---

  Plan micro() const {
    Plan plan;
    plan.edits = lighter(budget_);
    if (saved(plan.edits) < least_gain()) plan.edits = lighter(spared());
    const Tokens gain = saved(plan.edits);
    if (plan.edits.empty() || gain < least_gain())
      return nothing("too little to gain in old results (" + thousands(gain) + " tokens)");
    plan.tier = Tier::micro;
    plan.strategy = plan.edits.front().why.unit;
    plan.why = above(share_, config_.micro_at) + "; " + what_shrinks(plan.edits);
    return plan;
  }

  // One line for each superseded result; of the others the lines that bring something: at one size they keep
  // more of what is needed again than one-liners do. Answers, messages and summaries stay as they are.
  Edits lighter(const Budget& budget) const {
    const Tokens low_water = item_target(budget_, config_.micro_low_water);
    auto edits = superseded(conversation_, budget);
    const auto rest = tern::apply(conversation_, edits);
    const Tokens most = item_target(budget_, worked_on * config_.micro_at);
    for (auto& edit : condense(rest, budget, {.target = low_water, .most = most, .reach = CutReach::calls}))
      edits.push_back(std::move(edit));
    return state_.cache_cold ? edits : worth_rewriting(conversation_, std::move(edits), requests_between);
  }

  // The newest results stay while they fill a quarter of the window, or of what is there when the user asks
  // for a compaction.
  Budget spared(Spared counted = Spared::rounds) const {
    const Tokens room = state_.manual ? count(conversation_) / 4 : item_target(budget_, newest_results);
    return sparing_what_fits(conversation_, budget_, room, counted);
  }

  bool suffices(const Plan& plan) const {
    return plan.tier == Tier::micro &&
           count(conversation_) - saved(plan.edits) <= item_target(budget_, config_.draft_at);
  }

  // Full, but by results: those give way first, as long as that makes room enough. Words are summarised only
  // where it does not.
  Plan results_first() const {
    const bool by_fill =
        share_ >= config_.micro_at && !config_.absolute_threshold && !config_.trigger_alone &&
        conversation_.items.size() <= static_cast<std::size_t>(std::max(0, config_.trigger_messages));
    if (by_fill) {
      Plan plan = micro();
      if (suffices(plan)) return plan;
    }
    return compact(why_due());
  }

  // On a warm prompt cache many small cuts cost more than they save, so a cut must be worth a good part of
  // the way.
  Tokens least_gain() const {
    const double way = config_.micro_at - config_.micro_low_water;
    const double share = state_.cache_cold ? config_.min_compressible : way * worth_a_break;
    return static_cast<Tokens>(std::max(config_.min_compressible, share) *
                               static_cast<double>(uncalibrated(working_limit(budget_), budget_)));
  }

  Plan window() const {
    Plan plan;
    plan.edits = window_summary(conversation_, budget_, state_.now);
    if (plan.edits.empty()) return nothing("fewer turns than the sliding window holds");
    plan.tier = Tier::compact;
    plan.strategy = "window";
    plan.why = "more than " + std::to_string(config_.max_turns) + " turns";
    return plan;
  }

  // --- tier 3 ---

  Plan compact(std::string why) const {
    std::string name = state_.strategy.empty() ? config_.strategy : state_.strategy;
    const bool by_model = name == "sections" || name == "snapshot";
    if (by_model && state_.failures_in_a_row >= breaker && !state_.manual) {
      name = "local";
      why += "; summaries failed " + std::to_string(state_.failures_in_a_row) + " times, so without a model";
    }
    if (const auto* strategy = find_strategy(name)) return by(*strategy, std::move(why));
    if (auto asked = ask(name, why)) return std::move(*asked);
    return without_model(std::move(why));
  }

  // Nothing when there is no stretch worth a summary; then the local one may still cut inside messages.
  std::optional<Plan> ask(const std::string& name, const std::string& why) const {
    Budget budget = spared(Spared::everything_since);
    const auto range = state_.range ? state_.range : summary_range(conversation_, budget);
    if (!range) return std::nullopt;
    budget.config.strategy = name;
    Plan plan;
    plan.ask = summary_request(conversation_, budget, *range, state_.focus, state_.now,
                               {.zone = state_.range ? Zone::pins : Zone::all});
    if (plan.ask->source.items.empty() || plan.ask->replaces <= plan.ask->target) return std::nullopt;
    plan.tier = Tier::compact;
    plan.why = why + "; " + std::to_string(plan.ask->source.items.size()) + " messages by a model";
    return plan;
  }

  Plan by(const Strategy& strategy, std::string why) const {
    if (strategy.name == "local") return without_model(std::move(why));
    Plan plan;
    plan.edits = state_.range ? propose_within(strategy, conversation_, budget_, *state_.range)
                              : strategy.propose(conversation_, budget_);
    if (plan.edits.empty()) return nothing(why + "; " + std::string(strategy.name) + " has nothing to take");
    plan.tier = strategy.name == "truncate" ? Tier::truncate : Tier::compact;
    plan.strategy = strategy.name;
    plan.why = why + "; strategy " + std::string(strategy.name);
    if (strategy.name == "hybrid") plan.why += "; " + plan.edits.front().why.why;
    return plan;
  }

  Plan without_model(std::string why) const {
    Plan plan;
    plan.edits = local_summary(conversation_, spared(), state_);
    const auto least =
        state_.manual
            ? 1
            : static_cast<Tokens>(config_.min_compressible * static_cast<double>(working_limit(budget_)));
    if (count(conversation_) - count(tern::apply(conversation_, plan.edits)) < least)
      return nothing(why + "; nothing left to summarise");
    plan.tier = Tier::compact;
    plan.strategy = "local";
    plan.why = why + "; local summary";
    return plan;
  }

  Plan thrash() const {
    Plan plan = nothing("compressed " + std::to_string(state_.refills_in_a_row) +
                        " times in a row and full again: " + what_fills(conversation_));
    plan.thrash = true;
    return plan;
  }

  // --- tier 4: first what costs no message of the person's (the line engine), then the oldest messages ---

  Plan truncated(std::string why) const {
    // In a small window the safety margin would leave nothing of a long message: half of what fits may always
    // stay.
    Tokens target = std::max(item_target(budget_, config_.micro_at) - safety,
                             item_target(budget_, config_.truncate_at) / 2);
    if (state_.overflow)
      target =
          std::min(target, static_cast<Tokens>(overflow_share * static_cast<double>(count(conversation_))));
    Plan plan;
    plan.tier = Tier::truncate;
    plan.strategy = "truncate";
    plan.why = std::move(why);
    plan.thrash = state_.refills_in_a_row >= thrashing;
    plan.edits = hard_cut(conversation_, budget_, target);
    if (plan.edits.empty()) return nothing(plan.why + "; nothing left to drop: " + what_fills(conversation_));
    return plan;
  }

  const Conversation& conversation_;
  const Budget budget_;
  const CompressionConfig& config_;
  const PlanState& state_;
  Usage usage_;
  double share_ = 0;
};

}  // namespace

bool results_suffice(const Conversation& conversation, const Budget& budget, const PlanState& state) {
  return Planner(conversation, budget, state).results_suffice();
}

Edits hard_cut(const Conversation& conversation, const Budget& budget, Tokens target) {
  auto lines =
      condense(conversation, budget, {.target = target, .reach = CutReach::answers, .tier = Tier::truncate});
  if (count(conversation) - saved(lines) > target)
    lines = condense(conversation, budget, {.target = target, .tier = Tier::truncate});
  return followed(conversation, std::move(lines),
                  [&](const Conversation& rest) { return truncate(rest, budget, target); });
}

Plan plan(const Conversation& conversation, const Budget& budget, const PlanState& state) {
  return Planner(conversation, budget, state).run();
}

}  // namespace tern
