// Tool pruning of the founding text: calls and results of all but the newest rounds leave, talk stays.
// Prompt cache: gone from the first round pruned.
#pragma once

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct PruneStats {
  std::size_t original = 0, compressed = 0, removed = 0;  // messages
  double ratio = 1.0;                                     // compressed / original
};
struct Pruned {
  Edits edits;
  PruneStats stats;
};

// The newest `config.keep_last_tool_rounds` rounds with calls stay; 0 takes them all. Only system prompt and
// pins bound it: protected results may go. As in that text, what the assistant said beside its calls leaves
// with them.
Pruned prune_tools(const Conversation& conversation, const CompressionConfig& config);

}  // namespace tern
