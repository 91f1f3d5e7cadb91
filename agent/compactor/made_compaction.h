// A compaction that is made and not yet logged, and one that a person looks at first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/protocol/event.h"
#include "compression/reading/summarize.h"
#include "compression/values/context_edit.h"

namespace tern {

struct MadeCompaction {  // one compaction, ready to be logged
  Edits edits;
  Tier tier = Tier::none;
  std::string strategy, model, why, summary, index;
  double dollars = 0;
  std::int64_t pause_ms = 0;
  std::optional<ItemRange> covers;
};

struct OpenPreview {
  std::uint64_t id = 0;
  MadeCompaction result;
  std::optional<SummaryRequest> ask;
  std::vector<ItemPtr> covered;
  PreviewReady shown;
};

}  // namespace tern
