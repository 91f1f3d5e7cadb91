#include "compression/values/stats.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "compression/text/lines.h"
#include "compression/text/plain_text.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

std::string decimal(double value) {
  const auto hundredths = static_cast<int>(value * 100 + 0.5);
  return std::to_string(hundredths / 100) + "." + (hundredths % 100 < 10 ? "0" : "") +
         std::to_string(hundredths % 100);
}

}  // namespace

double Compression::ratio() const {
  return before > 0 ? static_cast<double>(after) / static_cast<double>(before) : 1.0;
}

namespace {

constexpr std::size_t least_batches = 3;  // fewer say nothing

class Adviser {
 public:
  Adviser(const Stats& stats, const CompressionConfig& config) : config_(config) {
    for (const auto& batch : stats.history) {
      ++batches_[batch.tier];
      undone_ += batch.undone;
      if (!batch.undone) ratios_[batch.tier] += batch.ratio();
      if (!batch.undone) ++standing_[batch.tier];
      quick_ += last_ && batch.tier == Tier::micro && batch.messages_before < last_->messages_after + 10;
      last_ = batch.tier == Tier::micro ? &batch : nullptr;
    }
    total_ = stats.history.size();
  }

  std::vector<Suggestion> run() {
    shallow_micro();
    weak_compaction();
    truncations();
    regrets();
    return std::move(found_);
  }

 private:
  double mean(Tier tier) { return standing_[tier] > 0 ? ratios_[tier] / standing_[tier] : 0; }

  void shallow_micro() {
    if (quick_ < 2 && (standing_[Tier::micro] < static_cast<int>(least_batches) || mean(Tier::micro) < 0.85))
      return;
    const double lower = std::max(0.1, config_.micro_low_water - 0.1);
    if (lower < config_.micro_low_water) {
      found_.push_back(
          {"microLowWater", decimal(lower),
           "microcompaction freed little and came again soon; one deeper cut keeps the prompt cache longer"});
    }
  }

  void weak_compaction() {
    if (standing_[Tier::compact] < static_cast<int>(least_batches) || mean(Tier::compact) < 0.7) return;
    const double lower = std::max(0.3, config_.compact_target - 0.1);
    if (lower < config_.compact_target) {
      found_.push_back({"compactTarget", decimal(lower),
                        "compactions left " + percent(mean(Tier::compact)) + " of the tokens on average"});
    }
  }

  void truncations() {
    const int times = batches_[Tier::truncate];
    if (times == 0) return;
    // The marks keep their order, or the settings would be refused.
    const double earlier = std::max({0.5, config_.micro_at + 0.05, config_.compact_at - 0.1});
    if (earlier < config_.compact_at - 0.005)
      found_.push_back({"compactAt", decimal(earlier),
                        "messages were dropped at the hard mark " +
                            (times == 1 ? "once" : std::to_string(times) + " times") +
                            "; summarising earlier avoids it"});
  }

  void regrets() {
    if (total_ < least_batches || undone_ * 3 < total_) return;
    found_.push_back({"protectResults", std::to_string(config_.protect_results * 2),
                      std::to_string(undone_) + " of " + std::to_string(total_) +
                          " compressions were undone; more of the newest results should stay"});
  }

  const CompressionConfig& config_;
  std::map<Tier, int> batches_, standing_;
  std::map<Tier, double> ratios_;
  const Compression* last_ = nullptr;
  std::size_t undone_ = 0, total_ = 0;
  int quick_ = 0;
  std::vector<Suggestion> found_;
};

}  // namespace

std::vector<Suggestion> suggest(const Stats& stats, const CompressionConfig& config) {
  return Adviser(stats, config).run();
}

CacheCost cache_cost(const Conversation& before, const Edits& edits, bool cold, CachePrices prices) {
  CacheCost cost;
  cost.saved = saved(edits);
  std::unordered_set<std::uint64_t> targets;
  for (const auto& edit : edits) {
    if (!std::holds_alternative<Pin>(edit.how)) targets.insert(edit.target.value);
  }
  Tokens behind = 0;
  bool changed = false;
  for (const auto& item : before.items) {
    changed = changed || targets.count(item->id.value) > 0;
    if (changed) behind += item->tokens;
  }
  cost.rewritten = std::max<Tokens>(0, behind - cost.saved);
  if (!cold && cost.saved > 0 && prices.read > 0) {
    cost.break_even = static_cast<double>(cost.rewritten) * (prices.write - prices.read) /
                      (static_cast<double>(cost.saved) * prices.read);
  }
  return cost;
}

Edits worth_rewriting(const Conversation& before, Edits edits, double requests, CachePrices prices) {
  std::unordered_map<std::uint64_t, Tokens> saved_in;
  for (const auto& edit : edits) saved_in[edit.target.value] += edit.saved;
  std::unordered_set<std::uint64_t> early, given_up;
  double passed = 0, lost = 0, best = 0;  // tokens behind the first edit; saved by those before
  for (const auto& item : before.items) {
    if (const auto at = saved_in.find(item->id.value); at != saved_in.end()) {
      const double gain = (prices.write - prices.read) * passed - prices.read * requests * lost;
      if (gain > best) best = gain, given_up = early;
      lost += static_cast<double>(at->second);
      early.insert(item->id.value);
    }
    if (!early.empty()) passed += static_cast<double>(item->tokens);
  }
  std::erase_if(edits, [&](const Edit& edit) { return given_up.count(edit.target.value) > 0; });
  return edits;
}

}  // namespace tern
