// What events say of the context: how full it is, of what, and what a compression did to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/command.h"
#include "compression/conversation.h"
#include "compression/edit.h"

namespace tern {

enum class CompactionPhase { needed, drafting, draft_ready, started, progress, completed, failed, undone, redone };
struct Compaction {
  CompactionPhase phase = CompactionPhase::needed;
  Tier tier = Tier::none;
  std::uint64_t batch = 0;
  Tokens before = 0, after = 0;
  std::size_t items = 0, originals = 0;    // touched, and kept for recall
  std::string strategy, why, audit, cost;  // audit: "kept 41 of 47 specifics, 6 by recall, 0 lost"
  std::int64_t pause_ms = 0;
  std::vector<ItemId> touched;  // marked on the originals on screen
};
struct PreviewReady {
  std::uint64_t id = 0;
  std::string range, kept, draft, strategy;
  Tokens before = 0, after = 0;
  std::string cost;  // the decision in words: cache, dollars now and per turn, dollars of a request before and after
};
struct Part {  // of the context bar: system tools memory user assistant results summaries
  std::string name;
  Tokens tokens = 0;
};
struct Meters {
  std::string model, provider, branch, cwd, session;
  PermissionMode mode = PermissionMode::ask;
  Tokens used = 0, effective = 0, window = 0;
  std::vector<Part> parts;  // sum to `used`
  bool estimated = true;    // "~" until the provider has reported
  double micro_at = 0.60, compact_at = 0.80, truncate_at = 0.95;
  int turns_to_next = -1;  // forecast; −1 unknown
  Tokens saved = 0;
  double cache_hit = -1;  // share of the last request's input; −1 unknown
  double dollars = 0;
  bool dollars_known = false;
  bool images = true;  // the model takes pictures, or nobody knows
  bool draft_pending = false, draft_ready = false;
  int background_jobs = 0;
};
struct ContextReport {  // /context
  Meters meters;
  std::vector<std::string> top;    // biggest items, ready to read
  std::vector<std::string> tiers;  // what each tier did
  std::vector<std::string> lines;  // cost decision, forecast, pins, last edits
  bool again = false;              // what an open panel asked for: it opens none
};

}  // namespace tern
