// The batches table: what each compaction did, as records and as numbered summaries.
#include <algorithm>

#include "agent/store/store.h"
#include "agent/store/store_db.h"

namespace tern {
namespace {

Tier tier_of(std::string_view name) {
  for (Tier tier : {Tier::snip, Tier::micro, Tier::compact, Tier::truncate}) {
    if (to_string(tier) == name) return tier;
  }
  return Tier::none;
}

Cause cause_of(std::string_view name) {
  for (Cause cause : {Cause::asked, Cause::overflow, Cause::dropped, Cause::folded, Cause::returned})
    if (to_string(cause) == name) return cause;
  return Cause::automatic;
}

// Packed when it is long; no text begins as what is packed does.
std::string audit_of(std::string_view stored) {
  if (!stored.starts_with("\x28\xB5\x2F\xFD")) return std::string(stored);
  return unpack(Packing::zstd, stored).value_or(std::string());
}

CompactionRecord compaction_of(const Cursor& row) {
  CompactionRecord record;
  record.batch = row.natural(0), record.tier = tier_of(row.bytes(1)), record.strategy = row.text(2),
  record.model = row.text(3);
  record.why = row.text(4), record.audit = row.text(5), record.cost = row.text(6),
  record.summary = row.text(7);
  record.index = row.text(8), record.key_points = list_of_json(row.bytes(9)),
  record.audit_full = audit_of(row.bytes(10));
  record.first_turn = row.natural(11), record.last_turn = row.natural(12), record.before = row.integer(13);
  record.after = row.integer(14), record.items = row.natural(15), record.originals = row.natural(16);
  record.dollars = row.real(17), record.pause_ms = row.integer(18), record.when = time_of(row.integer(19));
  record.undone = row.integer(20) != 0;
  record.messages_before = row.natural(21), record.messages_after = row.natural(22);
  record.boundary = row.natural(23), record.boundary_score = static_cast<int>(row.integer(24));
  record.cause = cause_of(row.bytes(25));
  record.specifics = row.natural(26), record.specifics_kept = row.natural(27);
  record.sentences = row.natural(28), record.sentences_kept = row.natural(29);
  return record;
}

// A file that is only looked at keeps its version: the first one did not count messages and knew no causes.
struct BatchQuery {
  std::string now, first;
  BatchQuery(const std::string& more, const std::string& rest) {
    const std::string columns =
        "SELECT b.batch, b.tier, b.strategy, b.model, b.why, b.audit, b.cost, b.summary, b.facts, "
        "b.key_points, ";
    const std::string figures =
        ", b.first_turn, b.last_turn, b.before, b.after, b.items, b.originals, b.dollars, b.pause_ms, b.at, "
        "b.undone, ";
    const std::string since =
        "b.messages_before, b.messages_after, b.boundary, b.boundary_score, b.cause, b.specifics, "
        "b.specifics_kept, b.sentences, "
        "b.sentences_kept";
    now = columns + more + figures + since + rest;
    first = columns + more + figures + "0, 0, 0, 0, '', 0, 0, 0, 0" + rest;
  }
  const char* of(Sqlite& db) const { return (db.integer("PRAGMA user_version") < 2 ? first : now).c_str(); }
};

}  // namespace

std::vector<CompactionRecord> AccountStore::compactions(bool decisions) const {
  return impl_->read([&](Sqlite& db) {
    std::vector<CompactionRecord> list;
    const auto undone = impl_->undone();
    static const BatchQuery query(
        "''", " FROM batches b WHERE b.session=?1 AND b.at<=?3 AND (?2 OR b.tier<>'none') ORDER BY b.batch");
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(query.of(db), {past.session, std::int64_t{decisions}, past.until_ms});
      while (row.step()) {
        list.push_back(compaction_of(row));
        CompactionRecord& record = list.back();
        record.inherited = past.session != impl_->current;
        // The column tells what the ancestor did since; the rows what holds here.
        if (record.inherited)
          record.undone = std::find(undone.begin(), undone.end(), record.batch) != undone.end();
      }
    }
    return list;
  });
}

std::vector<NumberedSummary> AccountStore::summaries(std::size_t newest) const {
  return impl_->read([&](Sqlite& db) {
    std::vector<NumberedSummary> list;
    static const BatchQuery query(
        "b.audit_full",
        ", s.uid FROM batches b JOIN sessions s ON s.id=b.session WHERE b.summary<>'' ORDER BY b.rowid");
    Cursor row = db.query(query.of(db));
    while (row.step()) list.push_back({list.size() + 1, row.text(30), compaction_of(row)});
    if (list.size() > newest) list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(newest));
    return list;
  });
}

}  // namespace tern
