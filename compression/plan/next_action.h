// What comes next when the context is looked at, one answer at a time. The compactor carries it out, adds
// what it found to the facts and asks again.
#pragma once

#include "compression/plan/plan.h"

namespace tern {

// What is remembered from one look to the next.
struct CompactorState {
  int failures = 0;           // summaries in a row that no model wrote
  int refills = 0;            // compactions in a row that followed each other closely
  int requests_since = 1000;  // requests since the last one
  double hold_until = 0;      // share below which a person's undo stands: no tier takes it away again
  bool cold = false;          // the prompt cache is gone: cutting is free
  Tier deepest = Tier::none;  // since the last look

  bool holds(double share) const { return share < hold_until; }
  void count_compaction();
};

enum class DraftStage { none, writing, written };

struct CompactorFacts {
  double share = 0, truncate_at = 0.95;  // of the window
  bool overflow = false;                 // the provider refused the length
  bool full = false;                     // tier 3 is due
  DraftStage draft = DraftStage::none;
  bool draft_stands = false;   // what it covers is unchanged
  const Plan* plan = nullptr;  // null until it is made
  bool pays_later = false;     // what the plan rewrites in the provider's cache costs more now than later
  bool draft_survives_plan = true;  // or there is none
  bool draft_gave_nothing = false;  // it was due and could not be used
  bool steered = false;             // hooks have seen the plan
  bool fresh_window_no = false;     // the notes do not suffice for one
  bool no_new_draft = false;        // none could be started
};

enum class Action {
  nothing,
  end_hold,
  take_draft,
  make_plan,
  give_up,
  steer,
  try_fresh_window,
  start_draft,
  truncate,
  summarise,
  cut
};

Action next(const CompactorState& state, const CompactorFacts& facts);

}  // namespace tern
