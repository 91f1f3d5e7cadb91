// What is kept beside the log: usage, compactions, drafts, grants, prompts, file changes, pins, small state.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/store/store_db.h"
#include "tools/files/journal.h"
#include "tools/set/tool.h"

namespace tern {
namespace {

using Json = nlohmann::json;

constexpr std::string_view sources_key = "sources";

std::string state_text(Sqlite& db, std::int64_t session, std::string_view key) {
  Cursor row = db.query("SELECT value FROM state WHERE session=?1 AND key=?2", {session, key});
  return row.step() ? row.text(0) : std::string();
}

void put_state(Sqlite& db, std::int64_t session, std::string_view key, std::string_view text) {
  db.run("INSERT OR REPLACE INTO state VALUES(?1, ?2, ?3)", {session, key, text});
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

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

void add(UsageTotal& total, const UsageTotal& more) {
  total.requests += more.requests;
  total.input += more.input;
  total.output += more.output;
  total.cache_read += more.cache_read;
  total.cache_write += more.cache_write;
  total.dollars += more.dollars;
}

UsageTotal usage_of(Sqlite& db, const Past& past, std::string_view purpose = {}) {
  Cursor row = db.query(
      "SELECT count(*), sum(input), sum(output), sum(cache_read), sum(cache_write), sum(dollars) FROM "
      "requests WHERE "
      "session=?1 AND at<=?2 AND (?3='' OR purpose=?3)",
      {past.session, past.until_ms, purpose});
  row.step();
  return {row.natural(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4), row.real(5)};
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

std::optional<std::string> image_of(Sqlite& db, bool none, std::int64_t blob) {
  if (none) return std::nullopt;
  return get_blob(db, blob);
}

SqlValue put_image(Sqlite& db, const std::optional<std::string>& bytes) {
  return bytes ? SqlValue(put_blob(db, *bytes)) : SqlValue(nullptr);
}

std::vector<std::string> texts(Cursor cursor) {
  std::vector<std::string> list;
  while (cursor.step()) list.push_back(cursor.text(0));
  return list;
}

}  // namespace

std::string json_list(const std::vector<std::string>& list) { return dump(Json(list)); }

std::vector<std::string> list_of_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  std::vector<std::string> list;
  if (!json.is_array()) return list;
  for (const Json& one : json) {
    if (one.is_string()) list.push_back(one.get<std::string>());
  }
  return list;
}

void Store::add_usage(const UsageRow& row) {
  std::lock_guard lock(impl_->mutex);
  const std::int64_t at =
      row.when.time_since_epoch().count() ? row.when.time_since_epoch().count() : impl_->now_ms();
  impl_->write([row, at, session = impl_->current](Sqlite& db) {
    db.run("INSERT INTO requests VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
           {session, sql(row.turn), std::string_view(row.provider), std::string_view(row.model),
            std::string_view(row.purpose), row.input, row.output, row.cache_read, row.cache_write,
            row.dollars, row.milliseconds, std::string_view(row.request_id), at});
    auto sources = load_sources(state_text(db, session, sources_key));
    for (const auto& one : sources_of(row)) add_source(sources, one);
    put_state(db, session, sources_key, save_sources(sources));
  });
}

std::vector<SourceSpend> Store::spent_on() const { return load_sources(state(sources_key)); }

std::vector<UsageRow> Store::requests() const {
  return impl_->read([&](Sqlite& db) {
    std::vector<UsageRow> rows;
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(
          "SELECT turn, provider, model, purpose, input, output, cache_read, cache_write, dollars, "
          "milliseconds, request_id, at "
          "FROM "
          "requests WHERE session=?1 AND at<=?2 ORDER BY id",
          {past.session, past.until_ms});
      while (row.step())
        rows.push_back({row.natural(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5),
                        row.integer(6), row.integer(7), row.real(8), row.integer(9), row.text(10),
                        TimePoint(std::chrono::milliseconds(row.integer(11)))});
    }
    return rows;
  });
}

UsageTotal Store::usage_total() const {
  return impl_->read([&](Sqlite& db) {
    UsageTotal total;
    for (const Past& past : impl_->chain) add(total, usage_of(db, past));
    return total;
  });
}

UsageTotal Store::usage_for(std::string_view purpose) const {
  return impl_->read([&](Sqlite& db) {
    UsageTotal total;
    for (const Past& past : impl_->chain) add(total, usage_of(db, past, purpose));
    return total;
  });
}

UsageTotal Store::spent() const {
  return impl_->read([&](Sqlite& db) { return usage_of(db, {impl_->current}); });
}

std::vector<ModelUsage> Store::usage_by_model() const {
  return impl_->read([&](Sqlite& db) {
    std::vector<ModelUsage> models;
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(
          "SELECT provider, model, count(*), sum(input), sum(output), sum(cache_read), sum(cache_write), "
          "sum(dollars) FROM "
          "requests WHERE session=?1 AND at<=?2 GROUP BY provider, model ORDER BY min(id)",
          {past.session, past.until_ms});
      while (row.step()) {
        const std::string provider = row.text(0), model = row.text(1);
        auto known = std::find_if(models.begin(), models.end(), [&](const ModelUsage& one) {
          return one.provider == provider && one.model == model;
        });
        if (known == models.end()) known = models.insert(known, {provider, model, {}});
        add(known->total,
            {row.natural(2), row.integer(3), row.integer(4), row.integer(5), row.integer(6), row.real(7)});
      }
    }
    return models;
  });
}

std::vector<CompactionRecord> Store::compactions(bool decisions) const {
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

std::vector<NumberedSummary> Store::summaries(std::size_t newest) const {
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

void Store::put_draft(const DraftRecord& draft) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([draft, session = impl_->current](Sqlite& db) {
    db.run("INSERT OR REPLACE INTO drafts VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
           {session, sql(draft.covers.first.value), sql(draft.covers.last.value),
            std::string_view(draft.answer), std::string_view(draft.model), std::string_view(draft.strategy),
            std::string_view(draft.prefix_hash), draft.dollars, std::int64_t{draft.complete}});
  });
}

std::optional<DraftRecord> Store::draft() const {
  return impl_->read([&](Sqlite& db) -> std::optional<DraftRecord> {
    Cursor row = db.query(
        "SELECT first, last, answer, model, strategy, prefix_hash, dollars, complete FROM drafts WHERE "
        "session=?1",
        {impl_->current});
    if (!row.step()) return std::nullopt;
    return DraftRecord{{{row.natural(0)}, {row.natural(1)}},
                       row.text(2),
                       row.text(3),
                       row.text(4),
                       row.text(5),
                       row.real(6),
                       row.integer(7) != 0};
  });
}

void Store::drop_draft() {
  std::lock_guard lock(impl_->mutex);
  impl_->write(
      [session = impl_->current](Sqlite& db) { db.run("DELETE FROM drafts WHERE session=?1", {session}); });
}

void Store::grant(std::string_view rule, bool for_project) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([rule = std::string(rule), session = for_project ? 0 : impl_->current,
                at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT OR IGNORE INTO grants VALUES(?1, ?2, ?3)", {session, std::string_view(rule), at});
  });
}

std::vector<std::string> Store::grants() const {
  return impl_->read([&](Sqlite& db) {
    return texts(
        db.query("SELECT DISTINCT rule FROM grants WHERE session IN (0, ?1) ORDER BY at", {impl_->current}));
  });
}

void Store::revoke(std::string_view rule) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([rule = std::string(rule), session = impl_->current](Sqlite& db) {
    db.run("DELETE FROM grants WHERE rule=?1 AND session IN (0, ?2)", {std::string_view(rule), session});
  });
}

void Store::add_prompt(std::string_view text) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([text = std::string(text), at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT INTO prompts(text, at) VALUES(?1, ?2)", {std::string_view(text), at});
  });
}

std::vector<std::string> Store::prompts(std::size_t newest) const {
  return impl_->read([&](Sqlite& db) {
    return texts(
        db.query("SELECT text FROM (SELECT text, max(id) AS id FROM prompts GROUP BY text ORDER BY id DESC "
                 "LIMIT ?1) ORDER BY id",
                 {sql(newest)}));
  });
}

bool Store::add_change(const FileChange& change) {
  std::lock_guard lock(impl_->mutex);
  return impl_->write([change, session = impl_->current, at = impl_->now_ms()](Sqlite& db) {
    const SqlValue before = put_image(db, change.before);
    db.run(
        "INSERT INTO changes VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        {session, sql(change.turn), std::string_view(change.call_id), std::string_view(change.path.native()),
         before, std::int64_t{change.mode_before}, std::string_view(change.hash_before),
         std::string_view(change.hash_after), std::int64_t{change.by_command}, at});
  });
}

std::vector<FileChange> Store::changes(std::uint64_t first_turn, std::uint64_t last_turn) const {
  return impl_->read([&](Sqlite& db) {
    std::vector<FileChange> list;
    const SqlValue last = sql(std::min<std::uint64_t>(last_turn, INT64_MAX));
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(
          "SELECT turn, call_id, path, before, mode, hash_before, hash_after, by_command FROM changes"
          " WHERE session=?1 AND turn BETWEEN ?2 AND ?3 AND at<=?4 ORDER BY id",
          {past.session, sql(first_turn), last, past.until_ms});
      while (row.step()) {
        list.push_back({row.natural(0), row.text(1), row.text(2), image_of(db, row.null(3), row.integer(3)),
                        static_cast<unsigned>(row.natural(4)), row.text(5), row.text(6),
                        row.integer(7) != 0});
      }
    }
    return list;
  });
}

std::uint64_t Store::add_pin(const PinRecord& pin) {
  std::lock_guard lock(impl_->mutex);
  std::uint64_t id = 1;
  for (const PinRecord& known : pins()) id = std::max(id, known.id + 1);
  impl_->write([pin, id, session = impl_->current](Sqlite& db) {
    db.run("INSERT INTO state VALUES(?1, ?2, ?3)",
           {session, std::string_view("pin." + std::to_string(id)),
            std::string_view(dump(
                {{"kind", pin.kind}, {"what", pin.what}, {"text", pin.text}, {"item", pin.item.value}}))});
  });
  return id;
}

std::vector<PinRecord> Store::pins() const {
  return impl_->read([&](Sqlite& db) {
    std::vector<PinRecord> list;
    Cursor row =
        db.query("SELECT key, value FROM state WHERE session=?1 AND key LIKE 'pin.%'", {impl_->current});
    while (row.step()) {
      const Json json = Json::parse(row.bytes(1), nullptr, false);
      if (!json.is_object()) continue;
      list.push_back({std::strtoull(row.text(0).c_str() + 4, nullptr, 10),
                      json.value("kind", ""),
                      json.value("what", ""),
                      json.value("text", ""),
                      {json.value("item", std::uint64_t{0})}});
    }
    std::sort(list.begin(), list.end(), [](const PinRecord& a, const PinRecord& b) { return a.id < b.id; });
    return list;
  });
}

void Store::remove_pin(std::uint64_t id) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([key = "pin." + std::to_string(id), session = impl_->current](Sqlite& db) {
    db.run("DELETE FROM state WHERE session=?1 AND key=?2", {session, std::string_view(key)});
  });
}

void Store::set_todos(const std::vector<TodoItem>& todos) {
  Json json = Json::array();
  for (const TodoItem& todo : todos)
    json.push_back({{"content", todo.content}, {"status", todo.status}, {"active", todo.active_form}});
  set_state("todos", dump(json));
}

std::vector<TodoItem> Store::todos() const {
  std::vector<TodoItem> list;
  const Json json = Json::parse(state("todos"), nullptr, false);
  if (!json.is_array()) return list;
  for (const Json& one : json)
    list.push_back({one.value("content", ""), one.value("status", "pending"), one.value("active", "")});
  return list;
}

void Store::set_state(std::string_view key, std::string_view text) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([key = std::string(key), text = std::string(text), session = impl_->current](Sqlite& db) {
    put_state(db, session, key, text);
  });
}

std::string Store::state(std::string_view key) const {
  return impl_->read([&](Sqlite& db) {
    for (auto session = impl_->chain.rbegin(); session != impl_->chain.rend(); ++session) {
      Cursor row = db.query("SELECT value FROM state WHERE session=?1 AND key=?2", {session->session, key});
      if (row.step()) return row.text(0);
    }
    return std::string();
  });
}

}  // namespace tern
