// What the compactor tells of a compaction before and after it, and what it may be told. Hooks are behind it;
// the compactor does not know them.
#pragma once

#include <string>
#include <vector>

#include "agent/protocol/event.h"

namespace tern {

struct PlannedItem {
  std::string id;    // "r17"
  std::string kind;  // user, assistant, result, summary
  std::string subject, reason;
  Tokens tokens = 0;
  bool operator==(const PlannedItem&) const = default;
};
struct CompactionIntent {
  Tier tier = Tier::none;
  Cause cause = Cause::automatic;
  Tokens before = 0, after = 0;  // after: about
  std::string why, focus;
  std::vector<PlannedItem> items;  // that change or leave
};
struct CompactionSteering {
  bool block = false;
  std::string why;
  std::string instructions;            // for the summary
  std::vector<std::string> pin, drop;  // ids as in the plan
};
struct CompactionOutcome {
  Tier tier = Tier::none;
  Cause cause = Cause::automatic;
  std::string summary, summary_id;  // summary_id: "r90"; empty without one
  Tokens before = 0, after = 0;
  std::vector<std::string> kept, lost_specifics, recall_ids;  // kept: ids of the items that stay as they are
};

}  // namespace tern
