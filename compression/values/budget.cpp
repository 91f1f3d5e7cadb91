#include "compression/values/budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compression/values/blocks.h"

namespace tern {

Tokens output_reserve(Tokens window, Tokens max_output) {
  constexpr Tokens most = 20'000;
  return std::max<Tokens>(0, std::min({max_output, most, window / 8}));
}

Tokens working_limit(const Budget& budget) {
  const auto& config = budget.config;
  Tokens limit = budget.effective();
  if (budget.optimum && *budget.optimum > 0) limit = std::min(*budget.optimum, limit);
  if (config.trigger_alone && config.compact_at > 0)
    limit =
        std::min(limit, static_cast<Tokens>(static_cast<double>(config.trigger_tokens) / config.compact_at));
  return std::max<Tokens>(1, limit);
}

Tokens uncalibrated(Tokens tokens, const Budget& budget) {
  return static_cast<Tokens>(std::floor(static_cast<double>(tokens) / budget.calibration));
}

namespace {

Tokens calibrated(Tokens tokens, const Budget& budget) {
  return static_cast<Tokens>(std::llround(static_cast<double>(tokens) * budget.calibration));
}

// What the absolute threshold is compared with: the compressible zone, or all but the newest messages where
// their number is set.
Tokens compared(const Conversation& conversation, const CompressionConfig& config, Tokens compressible,
                Tokens system) {
  Tokens old = compressible;
  if (config.recent_messages) {
    const auto recent = static_cast<std::size_t>(std::max(0, *config.recent_messages));
    const auto end = conversation.items.size() - std::min(recent, conversation.items.size());
    old = 0;
    for (std::size_t i = 0; i < end; ++i)
      if (conversation.items[i]->role != Role::system) old += conversation.items[i]->tokens;
  }
  return old + (config.count_system ? system : 0);
}

}  // namespace

Usage usage(const Conversation& conversation, const Budget& budget) {
  const auto keep = protected_items(conversation, budget.config);
  Tokens system = budget.fixed, protected_part = 0, compressible = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const Item& item = *conversation.items[i];
    (item.role == Role::system ? system : keep[i] ? protected_part : compressible) += item.tokens;
  }
  Usage result;
  if (budget.config.recent_messages || budget.config.count_system)
    result.compared = calibrated(compared(conversation, budget.config, compressible, system), budget);
  result.system = calibrated(system, budget);
  result.protected_part = calibrated(protected_part, budget);
  result.compressible = calibrated(compressible, budget);
  result.used = calibrated(system + protected_part + compressible + budget.pending, budget);
  result.share =
      static_cast<double>(result.used) / static_cast<double>(std::max<Tokens>(1, budget.effective()));
  return result;
}

Tokens item_target(const Budget& budget, double share) {
  const auto limit = static_cast<Tokens>(share * static_cast<double>(working_limit(budget)));
  return std::max<Tokens>(0, uncalibrated(limit, budget) - budget.fixed - budget.pending);
}

Tokens compaction_goal(const Budget& budget) {
  return item_target(budget, budget.config.compact_at * budget.config.compact_target);
}

bool worth_compacting(const Usage& usage, const Budget& budget) {
  if (budget.config.absolute_threshold)
    return usage.compared.value_or(usage.compressible) > *budget.config.absolute_threshold;
  return static_cast<double>(usage.compressible) >=
         budget.config.min_compressible * static_cast<double>(budget.effective());
}

bool compaction_due(const Usage& usage, std::size_t messages, const Budget& budget) {
  const auto& config = budget.config;
  if (messages < static_cast<std::size_t>(std::max(0, config.min_messages)) ||
      !worth_compacting(usage, budget))
    return false;
  if (config.absolute_threshold) return true;
  const double share = static_cast<double>(usage.used) / static_cast<double>(working_limit(budget));
  const bool many = messages > static_cast<std::size_t>(std::max(0, config.trigger_messages));
  return share >= config.compact_at || many ||
         (usage.used >= config.trigger_tokens && share >= config.micro_at);
}

std::size_t relaxed_limit(const CompressionConfig& config) {
  const CompressionConfig usual;
  const bool limit_alone = config.snip_limit != usual.snip_limit && config.snip_relaxed == usual.snip_relaxed;
  return limit_alone ? config.snip_limit : std::max(config.snip_relaxed, config.snip_limit);
}

Band band(double share) {
  constexpr double edges[] = {0.40, 0.60, 0.80, 0.95};
  return static_cast<Band>(std::upper_bound(std::begin(edges), std::end(edges), share) - std::begin(edges));
}

std::vector<bool> protected_items(const Conversation& conversation, const CompressionConfig& config) {
  const auto& items = conversation.items;
  std::vector<bool> keep(items.size(), false);
  int users = config.protect_user_messages, results = config.protect_results;
  bool assistant = true, in_hand = true, asked = false;
  std::size_t first_request = items.size();
  for (std::size_t i = items.size(); i-- > 0;) {
    const Item& item = *items[i];
    keep[i] = item.pinned || item.role == Role::system;
    if (item.role == Role::assistant && std::exchange(assistant, false)) keep[i] = true;
    if (item.role == Role::assistant && asked && !has<ToolCall>(item))
      in_hand = false;  // an answer that ended the work before
    if (is_human(item)) {
      first_request = i;
      asked = true;
      if (users-- > 0 || in_hand) keep[i] = true;
    }
    if (const auto held = static_cast<int>(blocks_of<ToolResult>(item).size()); held > 0 && results > 0) {
      keep[i] = true;
      results -= held;
    }
  }
  if (first_request < items.size()) keep[first_request] = true;
  return keep;
}

Budget sparing_what_fits(const Conversation& conversation, Budget budget, Tokens room, Spared counted) {
  int fit = 0;
  const auto& items = conversation.items;
  for (std::size_t i = items.size(); i-- > 0 && fit < budget.config.protect_results;) {
    const auto held = static_cast<int>(blocks_of<ToolResult>(*items[i]).size());
    const bool called = i + 1 < items.size() && has<ToolResult>(*items[i + 1]);
    if (held > 0 || called || counted == Spared::everything_since) room -= items[i]->tokens;
    const Tokens calls = held > 0 && i > 0 ? items[i - 1]->tokens : 0;
    if (held > 0 && room < calls && fit > 0) break;
    fit += held;
  }
  budget.config.protect_results = std::min(fit, budget.config.protect_results);
  return budget;
}

}  // namespace tern
