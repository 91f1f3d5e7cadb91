// The small rows beside the log: drafts, grants, prompts, file changes, pins, state.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "tools/files/journal.h"
#include "tools/set/tool.h"

namespace tern {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

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

std::string state_text(Sqlite& db, std::int64_t session, std::string_view key) {
  Cursor row = db.query("SELECT value FROM state WHERE session=?1 AND key=?2", {session, key});
  return row.step() ? row.text(0) : std::string();
}

void put_state(Sqlite& db, std::int64_t session, std::string_view key, std::string_view text) {
  db.run("INSERT OR REPLACE INTO state VALUES(?1, ?2, ?3)", {session, key, text});
}

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

void RowStore::put_draft(const DraftRecord& draft) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([draft, session = impl_->current](Sqlite& db) {
    db.run("INSERT OR REPLACE INTO drafts VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
           {session, sql(draft.covers.first.value), sql(draft.covers.last.value),
            std::string_view(draft.answer), std::string_view(draft.model), std::string_view(draft.strategy),
            std::string_view(draft.prefix_hash), draft.dollars, std::int64_t{draft.complete}});
  });
}

std::optional<DraftRecord> RowStore::draft() const {
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

void RowStore::drop_draft() {
  std::lock_guard lock(impl_->mutex);
  impl_->write(
      [session = impl_->current](Sqlite& db) { db.run("DELETE FROM drafts WHERE session=?1", {session}); });
}

void RowStore::grant(std::string_view rule, bool for_project) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([rule = std::string(rule), session = for_project ? 0 : impl_->current,
                at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT OR IGNORE INTO grants VALUES(?1, ?2, ?3)", {session, std::string_view(rule), at});
  });
}

std::vector<std::string> RowStore::grants() const {
  return impl_->read([&](Sqlite& db) {
    return texts(
        db.query("SELECT DISTINCT rule FROM grants WHERE session IN (0, ?1) ORDER BY at", {impl_->current}));
  });
}

void RowStore::revoke(std::string_view rule) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([rule = std::string(rule), session = impl_->current](Sqlite& db) {
    db.run("DELETE FROM grants WHERE rule=?1 AND session IN (0, ?2)", {std::string_view(rule), session});
  });
}

void RowStore::add_prompt(std::string_view text) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([text = std::string(text), at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT INTO prompts(text, at) VALUES(?1, ?2)", {std::string_view(text), at});
  });
}

std::vector<std::string> RowStore::prompts(std::size_t newest) const {
  return impl_->read([&](Sqlite& db) {
    return texts(
        db.query("SELECT text FROM (SELECT text, max(id) AS id FROM prompts GROUP BY text ORDER BY id DESC "
                 "LIMIT ?1) ORDER BY id",
                 {sql(newest)}));
  });
}

bool RowStore::add_change(const FileChange& change) {
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

std::vector<FileChange> RowStore::changes(std::uint64_t first_turn, std::uint64_t last_turn) const {
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

std::uint64_t RowStore::add_pin(const PinRecord& pin) {
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

std::vector<PinRecord> RowStore::pins() const {
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

void RowStore::remove_pin(std::uint64_t id) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([key = "pin." + std::to_string(id), session = impl_->current](Sqlite& db) {
    db.run("DELETE FROM state WHERE session=?1 AND key=?2", {session, std::string_view(key)});
  });
}

void RowStore::set_todos(const std::vector<TodoItem>& todos) {
  Json json = Json::array();
  for (const TodoItem& todo : todos)
    json.push_back({{"content", todo.content}, {"status", todo.status}, {"active", todo.active_form}});
  set_state("todos", dump(json));
}

std::vector<TodoItem> RowStore::todos() const {
  std::vector<TodoItem> list;
  const Json json = Json::parse(state("todos"), nullptr, false);
  if (!json.is_array()) return list;
  for (const Json& one : json)
    list.push_back({one.value("content", ""), one.value("status", "pending"), one.value("active", "")});
  return list;
}

void RowStore::set_state(std::string_view key, std::string_view text) {
  std::lock_guard lock(impl_->mutex);
  impl_->write([key = std::string(key), text = std::string(text), session = impl_->current](Sqlite& db) {
    put_state(db, session, key, text);
  });
}

std::string RowStore::state(std::string_view key) const { return impl_->kept(key); }

std::string StoreState::kept(std::string_view key) const {
  return read([&](Sqlite& db) {
    for (auto session = chain.rbegin(); session != chain.rend(); ++session) {
      Cursor row = db.query("SELECT value FROM state WHERE session=?1 AND key=?2", {session->session, key});
      if (row.step()) return row.text(0);
    }
    return std::string();
  });
}

}  // namespace tern
