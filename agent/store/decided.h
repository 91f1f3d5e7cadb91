// The rows of the compaction log that are no compactions: what was decided, and settings that followed. The
// store keeps the name of one where it keeps the strategy of a compaction.
#pragma once

#include <optional>
#include <string_view>

namespace tern {

enum class Decided {
  failed,
  summary_failed,  // or a draft of one
  thrash,          // the context was full again right after each compaction
  tuned,           // settings were changed on such evidence
  wait,
  draft,
  undo,
  redo,
  preview,
  bring_back,
  small_model,
  one_liners,
  hold_ended,
  overflow,
  cold_cache,
  blocked
};
std::string_view to_string(Decided decided);
std::optional<Decided> decided_named(std::string_view name);

}  // namespace tern
