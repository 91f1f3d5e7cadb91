#include "compression/plan/prune_tools.h"

#include "compression/plan/strategies.h"
#include "compression/values/blocks.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

std::vector<bool> pinned_items(const Conversation& conversation) {
  std::vector<bool> keep;
  for (const auto& item : conversation.items) keep.push_back(item->pinned || item->role == Role::system);
  return keep;
}

std::vector<Round> prunable(const Conversation& conversation, int keep_rounds) {
  std::vector<Round> rounds;
  for (const auto& round : outline(conversation, pinned_items(conversation)).rounds) {
    if (round.calls) rounds.push_back(round);
  }
  const auto kept = std::min(rounds.size(), static_cast<std::size_t>(std::max(0, keep_rounds)));
  rounds.resize(rounds.size() - kept);
  std::erase_if(rounds, [](const Round& r) { return r.keep; });
  return rounds;
}

}  // namespace

Pruned prune_tools(const Conversation& conversation, const CompressionConfig& config) {
  Pruned pruned;
  const Reason why{Tier::compact, "prune_tools",
                   "older than the newest " + std::to_string(config.keep_last_tool_rounds) + " tool rounds"};
  for (const auto& round : prunable(conversation, config.keep_last_tool_rounds)) {
    for (std::size_t i = round.first; i <= round.last; ++i) {
      pruned.edits.push_back({conversation.items[i]->id, Drop{}, why, conversation.items[i]->tokens});
    }
  }
  auto& stats = pruned.stats;
  stats.original = conversation.items.size();
  stats.removed = pruned.edits.size();
  stats.compressed = stats.original - stats.removed;
  if (stats.original > 0)
    stats.ratio = static_cast<double>(stats.compressed) / static_cast<double>(stats.original);
  return pruned;
}

namespace {

Edits propose_tools(const Conversation& conversation, const Budget& budget) {
  return prune_tools(conversation, budget.config).edits;
}

}  // namespace

constinit const Strategy tools_strategy{"tools", "drop all tool rounds but the newest", propose_tools};

}  // namespace tern
