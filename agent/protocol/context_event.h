// What events say of the context: how full it is, of what, and what a compression did to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/protocol/command.h"
#include "compression/values/context_edit.h"
#include "compression/values/conversation.h"

namespace tern {

enum class CompactionPhase {
  needed,
  drafting,
  draft_ready,
  started,
  progress,
  completed,
  failed,
  undone,
  redone
};
// asked: by the user or the model; overflow: the provider refused the length; the others: by hand, item by
// item.
enum class Cause { automatic, asked, overflow, dropped, folded, returned };
inline std::string_view to_string(Cause cause) {
  constexpr std::string_view names[] = {"automatic",       "asked for",      "overflow",
                                        "dropped by hand", "folded by hand", "brought back"};
  return names[static_cast<std::size_t>(cause)];
}
inline bool by_hand(Cause cause) { return cause >= Cause::dropped; }
// One compaction runs through needed, started (somebody waits), draft_ready (it was drafted), completed or
// failed, in this order.
struct Compaction {
  CompactionPhase phase = CompactionPhase::needed;
  Tier tier = Tier::none;
  Cause cause = Cause::automatic;
  std::uint64_t batch = 0;
  Tokens before = 0, after = 0;
  std::size_t items = 0, originals = 0;    // touched, and kept for recall
  std::string strategy, why, audit, cost;  // audit: "41 of 47 details kept, 6 on recall, none lost"
  std::int64_t pause_ms = 0;
  std::vector<ItemId> touched;  // marked on the originals on screen
};
struct PreviewReady {
  std::uint64_t id = 0;
  std::string range, kept, draft, strategy;
  Tokens before = 0, after = 0;
  std::string
      cost;  // the decision in words: cache, dollars now and per turn, dollars of a request before and after
};
struct Part {  // of the context bar: system tools memory user assistant results summaries
  std::string name;
  Tokens tokens = 0;
};
struct Meters {
  std::string model, provider, branch, cwd, session;
  PermissionMode mode = PermissionMode::ask;
  Tokens used = 0, effective = 0, window = 0;
  Tokens limit = 0;  // what shares and marks are of: `effective`, or less where the model works best below it
  std::vector<Part> parts;                                        // sum to `used`
  bool estimated = true;                                          // "~" until the provider has reported
  double micro_at = 0.60, compact_at = 0.80, truncate_at = 0.95;  // of `limit`; truncate_at may lie beyond it
  int turns_to_next = -1;                                         // forecast; −1 unknown
  Tokens saved = 0;
  double cache_hit = -1;  // share of the last request's input; −1 unknown
  double dollars = 0;
  bool dollars_known = false;
  bool images = true;  // the model takes pictures, or nobody knows
  bool draft_pending = false, draft_ready = false;
  // Where the provider's cache will be cold when this many milliseconds have passed (0 = it is, −1 = unknown
  // or no matter): what the next request then costs, and what it would cost after a compaction (−1 = none
  // would help).
  std::int64_t cold_in_ms = -1;
  double cold_dollars = 0, cold_compacted = -1;
  int background_jobs = 0;
};
struct WindowPoint {             // one turn of the session
  Tokens used = 0;               // the largest request with its answer
  std::vector<Part> parts = {};  // of `used`, named and ordered as in Meters; empty: not known
  Tier acted = Tier::none;
  Tokens freed = 0;
  double dollars = 0;
};
struct ContextReport {  // /context
  Meters meters;
  std::vector<WindowPoint> history;  // of the turns so far
  std::vector<std::string> top;      // biggest items, ready to read
  std::vector<std::string> tiers;    // what each tier did
  std::vector<std::string> lines;    // cost decision, forecast, pins, last edits
  bool again = false;                // what an open panel asked for: it opens none
};

}  // namespace tern
