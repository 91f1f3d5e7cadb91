// /context tune: what the store remembers of this session, as suggestions for the configuration. What the figures of the
// compressions suggest comes from the compression core; what only the store knows (recalls, waits, failing models) is added.
#include <nlohmann/json.hpp>
#include <set>

#include "agent/compaction_text.h"
#include "agent/context_tools.h"
#include "agent/cost.h"
#include "compression/stats.h"
#include "compression/utf8.h"

namespace tern {
namespace {

using nlohmann::json;

struct Past {
  Stats stats;
  std::size_t recalls = 0, again = 0, paused = 0, local = 0, thrash = 0, micro = 0, deep = 0;
  std::set<std::string> failing;  // what rejected or failed summaries said
  std::size_t rejected = 0;
};

Compression as_compression(const CompactionRecord& row, std::size_t number) {
  Compression one;
  one.tier = row.tier;
  one.when = row.when;
  one.before = row.before;
  one.after = row.after;
  one.undone = row.undone;
  // The store does not count messages; far apart means: not one right after another.
  one.messages_before = one.messages_after = number * 1'000;
  return one;
}

// A model that asks for what was taken away shows that too much was.
void count_recalls(const Store& store, Past& past) {
  std::set<std::string> asked;
  for (const auto& original : store.originals(1'000)) {
    if (original.tool != "Recall") continue;
    ++past.recalls;
    if (!asked.insert(original.subject).second) ++past.again;
  }
}

Past past_of(const Store& store) {
  Past past;
  for (const auto& row : store.compactions(true)) {
    if (row.strategy == "failed" && row.tier == Tier::none) {
      past.thrash += row.why.find("thrash") != std::string::npos;
      if (row.why.find("summary by") == std::string::npos && row.why.find("draft by") == std::string::npos) continue;
      ++past.rejected;
      if (past.failing.size() < 3) past.failing.insert(row.why.substr(0, utf8_floor(row.why, 120)));
    }
    if (row.tier == Tier::none) continue;
    past.stats.history.push_back(as_compression(row, past.stats.history.size() + 1));
    past.micro += row.tier == Tier::micro;
    past.deep += row.tier >= Tier::compact;
    past.local += row.strategy == "local";
    past.paused += row.pause_ms > 1'000 && !row.why.starts_with(kAskedFor);
  }
  count_recalls(store, past);
  return past;
}

// The first suggestion for a key stands: what was seen in this store goes before what its averages say.
class Adviser {
 public:
  void suggest(const std::string& key, json value, const std::string& why) {
    if (wanted_.contains(key)) return;
    text_ += "- " + key + ": " + value.dump() + " (" + why + ")\n";
    wanted_[key] = std::move(value);
  }
  const json& wanted() const { return wanted_; }
  const std::string& text() const { return text_; }

 private:
  json wanted_ = json::object();
  std::string text_;
};

double rounded(double share) { return static_cast<double>(static_cast<int>(share * 100 + 0.5)) / 100; }

void from_the_store(const Past& past, const CompressionConfig& config, const std::string& model, Adviser& adviser) {
  const auto all = std::max<std::size_t>(past.stats.history.size(), 1);
  if (past.recalls > 2 * all) {
    const auto seen = counted(static_cast<std::int64_t>(past.recalls), "recall") + " after " +
                      counted(static_cast<std::int64_t>(past.stats.history.size()), "compression");
    adviser.suggest("protectResults", config.protect_results + 3, seen + ": more of the newest results should stay");
    adviser.suggest("microLowWater", rounded(std::min(config.micro_low_water + 0.05, config.micro_at - 0.05)),
                    seen + ": each cut takes too much that is asked for again");
  }
  if (past.thrash > 0) {
    const auto seen = "the context filled up again at once " + counted(static_cast<std::int64_t>(past.thrash), "time");
    adviser.suggest("microLowWater", rounded(std::max(config.micro_low_water - 0.10, 0.2)), seen + ": cut deeper");
    adviser.suggest("compactTarget", rounded(std::max(config.compact_target - 0.10, 0.25)), seen + ": cut deeper");
  }
  if (past.rejected >= 3) {
    std::string said;
    for (const auto& line : past.failing) said += (said.empty() ? "" : "; ") + line;
    const bool small = config.small_model != model;
    if (small)
      adviser.suggest("smallModel", model,
                      std::to_string(past.rejected) + " summaries failed: " + said + "; let the main model write them");
    else
      adviser.suggest("strategy", "local", std::to_string(past.rejected) + " summaries failed: " + said + "; do without a model");
  }
  if (past.paused >= 2)
    adviser.suggest("draftAt", rounded(std::max(config.draft_at - 0.05, 0.5)),
                    std::to_string(past.paused) + " compactions that came by themselves made you wait: draft earlier");
  if (past.micro > 10 && past.micro > 4 * past.deep)
    adviser.suggest("microLowWater", rounded(std::max(config.micro_low_water - 0.10, 0.2)),
                    std::to_string(past.micro) + " small cuts: fewer, deeper ones keep the prompt cache");
}

}  // namespace

std::string tuning_text(const Store& store, const CompressionConfig& config, const std::string& model, std::string& changes) {
  const auto past = past_of(store);
  Adviser adviser;
  from_the_store(past, config, model, adviser);
  for (const auto& one : suggest(past.stats, config)) {
    auto value = json::parse(one.value, nullptr, false);
    adviser.suggest(one.key, value.is_discarded() ? json(one.value) : std::move(value), one.why);
  }
  std::string text =
      "From " + counted(static_cast<std::int64_t>(past.stats.history.size()), "compression") + " (" + std::to_string(past.micro) +
      " micro, " + std::to_string(past.deep) + " deep, " + std::to_string(past.local) + " without a model), " +
      counted(static_cast<std::int64_t>(past.recalls), "recall") + " (" + std::to_string(past.again) + " of them again), " +
      counted(static_cast<std::int64_t>(past.rejected), "failed summary", "failed summaries") + ":\n" + adviser.text();
  if (adviser.wanted().empty()) text += "- nothing to change: the settings fit what happened.\n";
  changes = adviser.wanted().empty() ? std::string() : adviser.wanted().dump();
  return text;
}

}  // namespace tern
