// What was said and done, in order, and the context that is folded from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/store/original_store.h"
#include "agent/store/store_types.h"

namespace tern {

class LogStore : public OriginalStore {
 public:
  ItemId next_item();  // gives ids; each at most once
  std::uint64_t next_batch();
  // True when it is on disk. Nested calls join the outer one.
  bool transact(const std::function<void()>& writes);
  // Runs when what is being written has been tried: at once, or at the end of the transaction it stands in.
  // What people are shown goes through here, so that nothing is said before it is on disk.
  void afterwards(std::function<void()> what);
  bool append(const ItemPtr& item);     // a result with a recall id and no original becomes its own original
  bool started(const CallStart& call);  // before the tool runs
  // The cell as shown, as soon as the tool has ended. `result` is kept until append() brings it in its item,
  // so that a crash between two calls of one message loses neither.
  bool finished(const ToolFinished& cell, const ToolResult& result);
  // ≤ 1 per second while streaming, and where a text ends (not synced: it outlives the process); the next
  // append() clears it.
  void partial(std::string_view text, std::string_view thinking, bool synced = true);
  void remember(const Event& event);  // screen-only: Notice, Compaction, TurnEnded, the cell of a `!` command
  bool log(const Batch& batch, const CompactionRecord& record);  // before the edits are applied
  // The context without (or again with) one batch, later items kept; nothing = no such batch.
  std::optional<Conversation> undo(std::uint64_t batch);
  std::optional<Conversation> redo(std::uint64_t batch);
  std::vector<std::uint64_t> undoable() const;  // newest first
  std::vector<std::uint64_t> redoable() const;
  std::optional<Batch> batch(std::uint64_t id) const;  // of the open session
  Conversation rewind(const Rewound& what);            // what came after leaves the log's fold, not the file
  // The newest that can be taken back: nothing was said or compacted since.
  std::optional<Rewound> rewound() const;
  Conversation unrewind();            // with what that one took away
  Conversation conversation() const;  // folded from the database
  Conversation asked() const;  // as it stood when the newest answer was asked for; without one as it stands
  ItemPtr item(ItemId id) const;  // as it was appended, whatever became of it; null = unknown
  std::vector<ItemPtr> items(ItemRange range) const;  // the originals of a range, for summaries
  std::vector<Event> screen(const ScreenOptions& options = {}) const;
  // Where about so many log entries before `end` begin, at a prompt, so that no call is parted from its
  // result.
  std::size_t screen_begin(std::size_t end, std::size_t entries) const;
  std::vector<RewindPoint> rewind_points() const;  // the user's prompts, newest first

 protected:
  using OriginalStore::OriginalStore;
};

}  // namespace tern
