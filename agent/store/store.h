// The log: append-only, one SQLite file per project, one connection, one writer. What was acknowledged is on
// disk (WAL, FULL). A Store belongs to the worker; it is internally locked, so that read-only tools on helper
// threads may fetch originals. No call throws for what the outside does: when the disk refuses, events stay
// in memory, in order, and are written again with the next one; unsaved() then says so. Only the
// constructor's open() reports failure by value. transact() makes everything its function writes one
// transaction: all of it is in the log after a crash, or none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/store/store_types.h"

namespace tern {

struct FileChange;  // tools/files/journal.h
struct TodoItem;    // tools/set/tool.h

struct StoreState;  // store_db.h

class Store {
 public:
  // Never null: if the file is hopeless the store works in memory and says so in notices().
  static std::unique_ptr<Store> open(StoreOptions options);
  ~Store();

  // What happened at open, for people: "recovered 812 of 815 messages; the damaged file is kept as
  // tern.db.damaged-1".
  const std::vector<std::string>& notices() const;
  bool read_only() const;       // asked for, or a newer version wrote this file
  std::string unsaved() const;  // empty, or "not saved: disk full; 12 events are kept in memory …"
  bool retry();                 // at idle: write what is waiting; true when nothing is left
  // At the end: what the disk still refuses goes, with all before it, into a copy below `folder`, and the
  // store goes on there.
  StoreEnd settle(const std::filesystem::path& folder);
  bool astray() const;  // something was said, and its file could not be used from the start

  // ------------------------------------------------------------ sessions
  OpenedSession create(NewSession session);
  // By id, unique prefix of an id, exact name, or text of its name or prompts (newest wins). Nothing = none
  // matches; `why` says it.
  std::optional<OpenedSession> resume(std::string_view id_or_text, std::string& why);
  std::optional<OpenedSession> newest(std::string& why, std::string_view cwd = {});  // --continue
  OpenedSession fork(std::string_view name = {});  // of the open session; the log before is shared
  void rename(std::string_view name);
  bool hide(std::string_view id);  // from sessions() and newest(); its log stays. False: not found
  void set_model(std::string_view model);
  std::string session() const;  // id of the open one, empty = none
  std::vector<SessionRow> sessions(std::string_view search = {}, std::size_t limit = 100);
  std::vector<SearchHit> search(std::string_view text, std::size_t limit = 20);  // in all sessions

  // ------------------------------------------------------------ the log
  ItemId next_item();  // gives ids; each at most once
  RecallId next_recall();
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

  // ------------------------------------------------------------ originals
  RecallId put_original(std::string_view bytes, std::string_view tool, std::string_view subject);
  void put_original(RecallId id, std::string_view bytes, std::string_view tool,
                    std::string_view subject);  // id: from next_recall()
  RecallId put_original_file(const std::filesystem::path& spill, std::string_view tool,
                             std::string_view subject);
  std::optional<Original> original(RecallId id) const;  // any session of this project
  std::optional<std::string> text(RecallId id) const;
  std::optional<std::string> bytes(RecallId id, std::int64_t offset, std::int64_t count) const;
  // 1-based, both included.
  std::optional<std::string> lines(RecallId id, std::size_t first, std::size_t last) const;
  std::vector<OriginalHit> search_originals(std::string_view text, RecallId only = {},
                                            std::size_t limit = 50) const;
  std::vector<Original> originals(std::size_t newest = 200) const;  // of the open session

  // ------------------------------------------------------------ beside the log
  void add_usage(const UsageRow& row);
  std::vector<UsageRow> requests() const;  // those of usage_total(), oldest first
  UsageTotal usage_total() const;  // of the open session, with what it shares with those it was forked from
  UsageTotal spent() const;        // of the open session alone
  UsageTotal usage_for(std::string_view purpose) const;  // the part of usage_total() that was for this
  std::vector<SourceSpend> spent_on() const;             // usage_total() by source, where it was divided
  std::vector<ModelUsage> usage_by_model() const;        // usage_total() in the order of their first request
  // Oldest first; with `decisions` also what was decided and changed nothing (tier none): waits, drafts,
  // failures, pins, undo.
  std::vector<CompactionRecord> compactions(bool decisions = false) const;
  std::vector<NumberedSummary> summaries(std::size_t newest = SIZE_MAX) const;  // oldest first
  void put_draft(const DraftRecord& draft);
  std::optional<DraftRecord> draft() const;
  void drop_draft();
  void grant(std::string_view rule, bool for_project);  // "yes, and remember"
  std::vector<std::string> grants() const;              // of the project and of the open session
  void revoke(std::string_view rule);
  void add_prompt(std::string_view text);
  std::vector<std::string> prompts(std::size_t newest = 1'000) const;  // oldest first, repeats once
  // For the journal: `turn` of a change is the id of the user item whose turn made it.
  bool add_change(const FileChange& change);
  std::vector<FileChange> changes(std::uint64_t first_turn, std::uint64_t last_turn) const;  // oldest first
  std::uint64_t add_pin(const PinRecord& pin);
  std::vector<PinRecord> pins() const;
  void remove_pin(std::uint64_t id);
  void set_todos(const std::vector<TodoItem>& todos);
  std::vector<TodoItem> todos() const;
  void set_state(std::string_view key, std::string_view text);  // anything small: mode, calibration …
  std::string state(std::string_view key) const;

  std::int64_t size_on_disk() const;
  void idle();                    // between turns: retry, search index, checkpoint; bounded to ~20 ms
  std::string integrity() const;  // "ok", or what is wrong (doctor)

 private:
  explicit Store(std::unique_ptr<StoreState> impl);
  std::unique_ptr<StoreState> impl_;
};

}  // namespace tern
