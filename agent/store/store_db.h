// Private to store_*.cpp: what a Store is made of. Writes are closures: they run in one transaction now, or,
// when the disk refuses, stay queued in order. Ids are given in memory, so that a queued write keeps the id
// it was promised.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "agent/store/codec_zstd.h"
#include "agent/store/item_codec.h"
#include "agent/store/session_lock.h"
#include "agent/store/sqlite.h"
#include "agent/store/store_row.h"
#include "agent/store/store_types.h"

namespace tern {

struct OriginalText {     // where the bytes of an original are
  std::int64_t blob = 0;  // 0 = in an item of the log
  std::int64_t session = 0;
  std::uint64_t item = 0;
  std::int64_t block = -1;  // -1 = all texts of the item
};

// A session whose rows the open one shares: its own, or those its ancestors wrote before they were forked.
struct Past {
  std::int64_t session = 0;
  std::int64_t until_ms = INT64_MAX;  // of the fork; later rows belong to the ancestor alone
};

using Write = std::function<void(Sqlite&)>;

struct StoreState {
  StoreOptions options;
  std::filesystem::path file,
      refused;  // tern.db; empty = a private temporary database, as `refused` could not be used
  std::unique_ptr<Sqlite> database;
  std::unique_ptr<SessionLock> locks;
  mutable std::recursive_mutex mutex;
  std::vector<std::string> notices;
  bool read_only = false;

  int depth = 0;                   // of transact()
  bool summaries_changed = false;  // the files for people are behind
  std::vector<Write> queue;
  std::vector<std::function<void()>> afterwards;  // of the running transaction
  std::string failure;                            // why the queue is not empty

  std::int64_t current = 0;  // the open session
  std::string uid, name, model;
  std::uint64_t turns = 0, last_item = 0, last_batch = 0, last_event = 0;
  std::vector<Past> chain;   // the open session and those it was forked from, oldest first
  std::vector<LogRow> rows;  // as visible: what was rewound is gone from here
  std::vector<Cut> cuts;     // … and is here, the newest last, until something is said anew
  std::uint32_t recall_next = 0, recall_end = 0;

  // Not yet on disk: read from here.
  std::unordered_map<std::uint32_t, std::shared_ptr<const std::string>> fresh_originals;
  std::map<std::uint64_t, ItemPtr> fresh_items;
  std::map<std::uint64_t, Batch> fresh_batches;

  // store.cpp
  TimePoint now() const;
  std::int64_t now_ms() const { return now().time_since_epoch().count(); }
  bool write(Write what);  // true = on disk (or inside transact: will be at its end)
  bool flush();
  bool run_queue(bool& dropped);
  template <class F>
  auto read(F f) const -> decltype(f(*database));  // a default value when the database refuses

  // store_schema.cpp
  void open_database();
  void open_file();
  void recover(const std::string& why);
  bool recovered(const std::string& why);
  void forget_file(const std::string& why);  // goes on in memory
  // store_sessions.cpp
  void load_rows(std::int64_t session, std::int64_t upto);
  OpenedSession open_session(std::int64_t session);
  void close_session();
  void mend(OpenedSession& opened);
  std::vector<std::int64_t> candidates(std::string_view id_or_text) const;

  // store_log.cpp
  bool add_row(LogRow::Kind kind, std::uint64_t ref, std::uint8_t flags, std::string body);
  LogRow* find(LogRow::Kind kind, std::uint64_t ref);
  std::string body(const LogRow& row) const;
  ItemPtr load_item(const LogRow& row) const;
  std::optional<Batch> load_batch(const LogRow& row) const;
  std::vector<std::uint64_t> undone(std::size_t end = SIZE_MAX) const;
  bool mark_undone(std::uint64_t batch, bool is);
  Conversation fold(std::size_t end = SIZE_MAX) const;  // of the rows before `end`
  BlobStore blobs() const;

  // store_rewind.cpp
  void show(const LogRow& row);  // what this row does to the visible ones
  void cut(const LogRow& row);
  void uncut();
  void count_turns();

  std::string kept(std::string_view key) const;  // store_rows.cpp: a value of the open session
  // store_originals.cpp
  void bind_originals(Sqlite& db, const Item& item, std::int64_t session) const;
  std::optional<OriginalText> find_original(RecallId id) const;
  std::string item_text(const OriginalText& where) const;
};

// Blobs: deduplicated by content, cut into chunks so that a range costs its chunks only.
std::int64_t put_blob(Sqlite& db, std::string_view bytes);
std::int64_t put_blob_file(Sqlite& db, int fd);
std::string get_blob(Sqlite& db, std::int64_t blob);
std::int64_t blob_size(Sqlite& db, std::int64_t blob);

std::uint64_t fast_hash(std::string_view bytes, std::uint64_t seed);
TimePoint time_of(std::int64_t milliseconds);
// What of an item a person wrote or read: its texts, joined.
std::string plain_text(const Item& item);
// A value of the table `state`; empty when there is none.
std::string state_text(Sqlite& db, std::int64_t session, std::string_view key);
void put_state(Sqlite& db, std::int64_t session, std::string_view key, std::string_view text);
std::string json_list(const std::vector<std::string>& list);
std::vector<std::string> list_of_json(std::string_view json);
bool contains_folded(std::string_view text, std::string_view part);  // ASCII case ignored

template <class F>
auto StoreState::read(F f) const -> decltype(f(*database)) {
  std::lock_guard lock(mutex);
  try {
    return f(*database);
  } catch (const SqliteError&) {
    return {};
  }
}

}  // namespace tern
