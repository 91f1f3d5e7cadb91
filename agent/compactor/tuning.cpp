// /context tune: what the store remembers of this session, as suggestions for the configuration. What the
// figures of the compressions suggest comes from the compression core; what only the store knows (recalls,
// waits, failing models) is added. Only what happened since the last tuning counts: the same trouble is not
// answered twice.
#include "agent/compactor/tuning.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/models/cost.h"
#include "agent/store/decided.h"
#include "agent/store/store.h"
#include "compression/text/utf8.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

using nlohmann::json;

struct Past {
  Stats stats;
  std::size_t recalls = 0, again = 0, paused = 0, local = 0, thrash = 0, micro = 0, deep = 0;
  std::int64_t longest_pause = 0;
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
  one.messages_before = row.messages_before;
  one.messages_after = row.messages_after;
  if (row.messages_before == 0)
    one.messages_before = one.messages_after = number * 1'000;  // not counted: as if far apart
  return one;
}

// A model that asks for what was taken away shows that too much was.
void count_recalls(const OriginalStore& store, TimePoint since, Past& past) {
  std::set<std::string> asked;
  for (const auto& original : store.originals(1'000)) {
    if (!recalls(original.tool) || original.when < since) continue;
    ++past.recalls;
    if (!asked.insert(original.subject).second) ++past.again;
  }
}

void count_row(const CompactionRecord& row, Past& past) {
  if (row.tier == Tier::none) {
    const auto decision = decided_named(row.strategy);
    past.thrash += decision == Decided::thrash;
    if (decision != Decided::summary_failed) return;
    ++past.rejected;
    if (past.failing.size() < 3) past.failing.insert(row.why.substr(0, utf8_floor(row.why, 120)));
    return;
  }
  if (by_hand(row.cause)) return;  // says nothing of what the tiers do
  past.stats.history.push_back(as_compression(row, past.stats.history.size() + 1));
  past.micro += row.tier == Tier::micro;
  past.deep += row.tier >= Tier::compact;
  past.local += row.strategy == "local";
  if (row.pause_ms <= 1'000 || row.cause == Cause::asked) return;
  ++past.paused;
  past.longest_pause = std::max(past.longest_pause, row.pause_ms);
}

Past past_of(const Store& store) {
  const auto rows = store.compactions(true);
  const auto tuned = std::find_if(rows.rbegin(), rows.rend(), [](const auto& row) {
    return row.tier == Tier::none && decided_named(row.strategy) == Decided::tuned;
  });
  Past past;
  for (auto row = tuned.base(); row != rows.end(); ++row) count_row(*row, past);
  count_recalls(store, tuned == rows.rend() ? TimePoint{} : tuned->when, past);
  return past;
}

// The first suggestion for a key stands: what was seen in this store goes before what its averages say.
class Adviser {
 public:
  void suggest(const std::string& key, const json& value, std::string why) {
    const auto known =
        std::any_of(found_.begin(), found_.end(), [&](const Suggestion& one) { return one.key == key; });
    if (!known) found_.push_back({key, value.dump(), std::move(why)});
  }
  std::vector<Suggestion> found() && { return std::move(found_); }

 private:
  std::vector<Suggestion> found_;
};

double rounded(double share) { return static_cast<double>(static_cast<int>(share * 100 + 0.5)) / 100; }

void from_recalls(const Past& past, const CompressionConfig& config, Adviser& adviser) {
  constexpr std::size_t many_again = 3;
  const auto all = std::max<std::size_t>(past.stats.history.size(), 1);
  if (past.recalls <= 2 * all && past.again < many_again) return;
  const auto seen = past.again >= many_again
                        ? counted(static_cast<std::int64_t>(past.again), "original was", "originals were") +
                              " recalled again"
                        : counted(static_cast<std::int64_t>(past.recalls), "recall") + " after " +
                              counted(static_cast<std::int64_t>(past.stats.history.size()), "compression");
  adviser.suggest("protectResults", config.protect_results + 3,
                  seen + ": more of the newest results should stay");
  adviser.suggest("microLowWater", rounded(std::min(config.micro_low_water + 0.05, config.micro_at - 0.05)),
                  seen + ": cuts remove too much that is needed again");
}

void from_failures(const Past& past, const CompressionConfig& config, const std::string& model,
                   Adviser& adviser) {
  if (past.rejected < 3) return;
  std::string said;
  for (const auto& line : past.failing) said += (said.empty() ? "" : "; ") + line;
  const auto seen = std::to_string(past.rejected) + " summaries failed: " + said;
  if (config.small_model != model)
    adviser.suggest("smallModel", model, seen + "; let the main model write them");
  else
    adviser.suggest("strategy", "local", seen + "; do without a model");
}

void from_the_store(const Past& past, const CompressionConfig& config, const std::string& model,
                    Adviser& adviser) {
  from_recalls(past, config, adviser);
  if (past.thrash > 0) {
    const auto seen =
        "the context filled up again at once " + counted(static_cast<std::int64_t>(past.thrash), "time");
    adviser.suggest("microLowWater", rounded(std::max(config.micro_low_water - 0.10, 0.2)),
                    seen + ": cut deeper");
    adviser.suggest("compactTarget", rounded(std::max(config.compact_target - 0.10, 0.25)),
                    seen + ": cut deeper");
  }
  from_failures(past, config, model, adviser);
  if (past.paused >= 2)
    adviser.suggest("draftAt", rounded(std::max(config.draft_at - 0.05, 0.5)),
                    std::to_string(past.paused) + " automatic compactions made you wait, up to " +
                        std::to_string((past.longest_pause + 500) / 1'000) + " s: draft earlier");
  if (past.micro > 10 && past.micro > 4 * past.deep)
    adviser.suggest("microLowWater", rounded(std::max(config.micro_low_water - 0.10, 0.2)),
                    std::to_string(past.micro) + " small cuts: fewer, deeper ones keep the prompt cache");
}

std::vector<Suggestion> suggestions(const Past& past, const CompressionConfig& config,
                                    const std::string& model) {
  Adviser adviser;
  from_the_store(past, config, model, adviser);
  for (const auto& one : suggest(past.stats, config)) {
    const auto value = json::parse(one.value, nullptr, false);
    adviser.suggest(one.key, value.is_discarded() ? json(one.value) : value, one.why);
  }
  auto found = std::move(adviser).found();
  std::erase_if(found, [&](const Suggestion& one) {  // at its end already
    return (one.key == "microLowWater" && json::parse(one.value) == rounded(config.micro_low_water)) ||
           (one.key == "compactTarget" && json::parse(one.value) == rounded(config.compact_target)) ||
           (one.key == "draftAt" && json::parse(one.value) == rounded(config.draft_at));
  });
  return found;
}

struct Bounds {
  const char* key;
  double least, most;
};
constexpr Bounds bounds[] = {{"microLowWater", 0.2, 0.5},
                             {"compactTarget", 0.3, 0.7},
                             {"draftAt", 0.5, 0.75},
                             {"compactAt", 0.65, 0.85},
                             {"protectResults", 3, 20}};

}  // namespace

std::vector<Suggestion> tuning(const Store& store, const CompressionConfig& config,
                               const std::string& model) {
  return suggestions(past_of(store), config, model);
}

std::string changes_of(const std::vector<Suggestion>& suggestions) {
  if (suggestions.empty()) return {};
  json wanted = json::object();
  for (const auto& one : suggestions) wanted[one.key] = json::parse(one.value, nullptr, false);
  return wanted.dump();
}

std::string reasons_of(const std::vector<Suggestion>& suggestions) {
  std::string text;
  for (const auto& one : suggestions) text += "- " + one.key + ": " + one.value + " (" + one.why + ")\n";
  return text;
}

std::vector<Suggestion> within_bounds(std::vector<Suggestion> suggestions) {
  std::erase_if(suggestions, [](const Suggestion& one) {
    const auto row = std::find_if(std::begin(bounds), std::end(bounds),
                                  [&](const Bounds& known) { return one.key == known.key; });
    const auto value = json::parse(one.value, nullptr, false);
    return row == std::end(bounds) || !value.is_number() || value < row->least || value > row->most;
  });
  return suggestions;
}

void note_tuning(LogStore& store, const std::vector<Suggestion>& applied) {
  CompactionRecord record;
  record.batch = store.next_batch();
  record.strategy = to_string(Decided::tuned);
  for (const auto& one : applied)
    record.why += (record.why.empty() ? "" : "; ") + one.key + " " + one.value + ": " + one.why;
  store.log({record.batch, {}}, record);
}

std::string tuning_text(const Store& store, const CompressionConfig& config, const std::string& model,
                        std::string& changes) {
  const auto past = past_of(store);
  const auto found = suggestions(past, config, model);
  std::string text = "Based on " +
                     counted(static_cast<std::int64_t>(past.stats.history.size()), "compaction") + " (" +
                     std::to_string(past.micro) + " of results, " + std::to_string(past.deep) +
                     " with a summary, " + std::to_string(past.local) + " without a model), " +
                     counted(static_cast<std::int64_t>(past.recalls), "recall") + " (" +
                     std::to_string(past.again) + " repeated) and " +
                     counted(static_cast<std::int64_t>(past.rejected), "failed summary", "failed summaries") +
                     ":\n" + reasons_of(found);
  if (found.empty()) text += "- no changes suggested.\n";
  changes = changes_of(found);
  return text;
}

}  // namespace tern
