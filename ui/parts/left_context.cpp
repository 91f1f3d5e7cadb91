#include "ui/parts/left_context.h"

#include <algorithm>

namespace tern {
namespace {

Tier left_by(const Compaction& compaction) {
  const bool undone = compaction.phase == CompactionPhase::undone;
  if (compaction.cause == Cause::returned) return undone ? Tier::micro : Tier::none;
  if (undone) return Tier::none;
  return compaction.cause == Cause::dropped ? Tier::truncate : compaction.tier;
}

}  // namespace

void mark_left(std::vector<Cell>& cells, const Compaction& compaction) {
  const std::vector<ItemId>& items = compaction.touched;
  if (items.empty() || compaction.phase == CompactionPhase::failed) return;
  for (Cell& cell : cells) {
    if (cell.item == ItemId{} || !std::binary_search(items.begin(), items.end(), cell.item)) continue;
    cell.left_context = left_by(compaction);
    ++cell.version;
  }
}

}  // namespace tern
