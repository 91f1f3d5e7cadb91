// What the window allows and what the person configured: every key of .compression/config.json, one to one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

enum class SummaryStyle { sections, snapshot };
enum class ContextStyle {
  summary,
  notes,
  automatic
};                                             // how the next window begins: automatic by what there is
enum class ColdCache { compact, ask, leave };  // the first request after the provider's cache has gone

struct CompressionConfig {  // names in the file are camelCase, mapped in app/config
  bool auto_compress = true;
  bool auto_tune = false;  // the agent applies what the past suggests, within bounds, and says so
  double micro_at = 0.60, compact_at = 0.80, truncate_at = 0.95, draft_at = 0.70;
  double micro_low_water = 0.20;  // the depth of a cut where no file is being worked on
  double compact_target = 0.50;
  std::size_t snip_limit = 10'000;    // characters; head and tail are 30 % each
  std::size_t snip_relaxed = 30'000;  // instead of it below 40 % of the window
  std::size_t read_limit = 40'000;    // of a file that was read; twice that where lines were asked for
  double snip_head = 0.30, snip_tail = 0.30;
  std::size_t max_tool_output =
      3'000;  // the other form: marker between two halves (0 = use the default form)
  bool snip_halves = false;
  int max_turns = 50, keep_recent = 10;  // sliding window, in rounds
  bool sliding_window = false;
  std::size_t summary_max_chars = 500;  // per key point in summaries.json
  bool cap_summary = false;             // the person set it: then it is the most a summary tells, too
  double importance_threshold = 0.3;
  int keep_last_tool_rounds = 1;
  bool preserve_tool_calls = true;  // a summary by rules tells which tools were used
  int protect_user_messages = 3, protect_results = 5;
  double min_compressible = 0.02;            // of the effective window
  std::optional<Tokens> absolute_threshold;  // "new logic": only compressible tokens are compared with it
  std::optional<int> recent_messages;        // newest messages left out of that; none: what is protected
  bool count_system = false;                 // the system prompt and the tools count towards it
  Tokens trigger_tokens =
      150'000;                 // a compaction is due at so many, too, once microAt of the window is passed
  bool trigger_alone = false;  // the person set it: then it is the mark, whatever the window
  int trigger_messages = 500, min_messages = 10;
  double target_ratio = 0.5;
  std::string strategy = "sections";  // one of compaction_names()
  SummaryStyle style = SummaryStyle::sections;
  bool micro_by_model = false;
  Tokens index_budget = 1'500;
  Tokens pin_budget = 8'000;
  Tokens note_budget = 2'000;
  ContextStyle context_style = ContextStyle::automatic;
  ColdCache cold_cache = ColdCache::compact;
  bool long_cache = true;   // asked for where the pauses so far say that it pays
  std::string small_model;  // empty: the model table decides

  bool operator==(const CompressionConfig&) const = default;
};

struct Budget {
  Tokens window = 200'000;
  Tokens reserve = 20'000;        // output really requested, ≤ 20k, ≤ W/8
  Tokens fixed = 0;               // system prompt + tool schemas + memory files
  Tokens pending = 0;             // input typed but not yet an item
  std::optional<Tokens> optimum;  // a model's best context when it is below its maximum
  double calibration = 1.0;       // reported / estimated, this model
  std::string provider, model;    // for the selection table
  CompressionConfig config;

  Tokens effective() const { return window - reserve; }
};

struct Usage {
  Tokens system = 0, protected_part = 0, compressible = 0;  // zones of DESIGN 4.1
  std::optional<Tokens> compared;  // with the absolute threshold, where settings make it another
  Tokens used = 0;                 // fixed + items + pending, calibrated
  double share = 0;                // used / effective
};
Usage usage(const Conversation& conversation, const Budget& budget);

// Characters that a result may have while less than 40 % of the window is used: `snip_relaxed`, unless only
// `snip_limit` was set.
std::size_t relaxed_limit(const CompressionConfig& config);

// The founding bands of use, for colours: 0–40–60–80–95.
enum class Band { calm, light, busy, high, full };
Band band(double share);

// R of DESIGN 4.1: the output really requested, at most 20k and W/8.
Tokens output_reserve(Tokens window, Tokens max_output);

// What micro and compact measure against: the effective window, or where it is smaller the model's optimum,
// or what makes triggerTokens, where the person set it, the mark of a compaction.
Tokens working_limit(const Budget& budget);

// A figure of the API (calibrated) in estimated tokens, as items carry them.
Tokens uncalibrated(Tokens tokens, const Budget& budget);

// Estimated tokens that the items may have so that the context fills `share` of the working limit; never
// below zero.
Tokens item_target(const Budget& budget, double share);
// What a compaction comes down to: half of its trigger, by the config.
Tokens compaction_goal(const Budget& budget);

// The new logic: only the compressible zone is compared, with the absolute threshold when one is set, else
// with a small share of the window, so that neither a large system prompt nor the protected part ever
// triggers anything.
bool worth_compacting(const Usage& usage, const Budget& budget);
// Tier 3: by the budget's tier, by the absolute triggers, never with fewer than the least number of messages.
bool compaction_due(const Usage& usage, std::size_t messages, const Budget& budget);

// Which items no tier below truncate may touch, parallel to conversation.items: pins, the first request, the
// newest messages of the user, all they said since the work in hand began, the last answer, the newest
// results.
std::vector<bool> protected_items(const Conversation& conversation, const CompressionConfig& config);

// The newest results spared only while they fit the room, the newest one always: in a small window five large
// ones fill it, and each turn would cut the one that has just lost its protection. A cut of results leaves
// them and their calls; a summary leaves all that follows the oldest of them, so there the answers between
// them count too.
constexpr double newest_results = 0.25;  // of the window, as a rule
enum class Spared { rounds, everything_since };
Budget sparing_what_fits(const Conversation& conversation, Budget budget, Tokens room, Spared counted);

}  // namespace tern
