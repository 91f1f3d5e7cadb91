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

#include "agent/store/account_store.h"
#include "agent/store/row_store.h"
#include "agent/store/session_store.h"
#include "agent/store/store_types.h"

namespace tern {

class Store : public SessionStore, public AccountStore, public RowStore {
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

  std::int64_t size_on_disk() const;
  void idle();                    // between turns: retry, search index, checkpoint; bounded to ~20 ms
  std::string integrity() const;  // "ok", or what is wrong (doctor)

 private:
  explicit Store(std::unique_ptr<StoreState> state);
  std::unique_ptr<StoreState> state_;
};

}  // namespace tern
