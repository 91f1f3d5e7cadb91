// Sessions: made, found again, forked, listed; and what a crash left open is closed when one is resumed.
#include <sys/random.h>

#include <algorithm>
#include <set>

#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

// Eight letters and digits that cannot be misread.
std::string new_uid() {
  constexpr std::string_view kLetters = "abcdefghjkmnpqrstuvwxyz23456789";
  unsigned char bytes[8] = {};
  if (::getrandom(bytes, sizeof bytes, 0) < 0) throw std::runtime_error("no random numbers");
  std::string uid;
  for (unsigned char byte : bytes) uid += kLetters[byte % kLetters.size()];
  return uid;
}

// First line, cut on a character border.
std::string name_of_prompt(std::string_view prompt) {
  std::string_view line = prompt.substr(0, prompt.find('\n'));
  if (line.size() <= 60) return std::string(line);
  std::size_t cut = 57;
  while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) --cut;
  return std::string(line.substr(0, cut)) + "…";
}

std::string escape_like(std::string_view text) {
  std::string out = "%";
  for (char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + "%";
}

struct Segment {
  std::int64_t session = 0, upto = 0, until_ms = INT64_MAX;
};

// The session and those it was forked from, oldest first, each with the last row that belongs to it.
std::vector<Segment> lineage(Sqlite& db, std::int64_t session, std::int64_t upto) {
  std::vector<Segment> chain;
  std::int64_t until_ms = INT64_MAX;
  for (std::set<std::int64_t> seen; session && seen.insert(session).second;) {
    chain.insert(chain.begin(), {session, upto, until_ms});
    Cursor cursor = db.query(
        "SELECT CASE WHEN parent_seq>=0 THEN parent ELSE 0 END, coalesce(parent_seq, 0), created FROM "
        "sessions WHERE id=?1",
        {session});
    if (!cursor.step()) break;
    session = cursor.integer(0);
    upto = std::min(upto, cursor.integer(1));
    until_ms = std::min(until_ms, cursor.integer(2));
  }
  return chain;
}

const Item* last_assistant(const Conversation& conversation) {
  if (conversation.items.empty() || conversation.items.back()->role != Role::assistant) return nullptr;
  return conversation.items.back().get();
}

// What is known of a call whose result never reached the log.
ToolResult lost_result(Sqlite& db, std::int64_t session, const ToolCall& call,
                       std::vector<std::string>& notices) {
  ToolResult result;
  result.call_id = call.id, result.tool = call.name, result.is_error = true;
  result.text = "not run: tern ended before this call started";
  Cursor cursor = db.query(
      "SELECT result, subject FROM calls WHERE session=?1 AND call_id=?2 AND item=0 ORDER BY id DESC LIMIT 1",
      {session, std::string_view(call.id)});
  if (!cursor.step()) return result;
  if (const auto kept = decode_result(cursor.bytes(0))) return *kept;
  result.subject = cursor.text(1);
  result.text =
      "interrupted: tern ended while this was running; its effect is unknown, check before running it again";
  notices.push_back("a " + call.name + " call was interrupted, its effect is unknown: " + result.subject);
  return result;
}

}  // namespace

// Only the covering index is read here; bodies are loaded for what is alive, or shown.
void StoreState::load_rows(std::int64_t session, std::int64_t upto) {
  rows.clear(), cuts.clear(), chain.clear();
  for (const Segment& segment : lineage(*database, session, upto)) {
    chain.push_back({segment.session, segment.until_ms});
    const std::size_t before = rows.size();
    Cursor cursor = database->query(
        "SELECT seq, kind, ref, flags FROM log INDEXED BY log_ref WHERE session=?1", {segment.session});
    while (cursor.step()) {
      if (cursor.integer(0) > segment.upto) continue;
      rows.push_back({.seq = cursor.integer(0),
                      .ref = cursor.natural(2),
                      .session = static_cast<std::int32_t>(segment.session),
                      .kind = static_cast<LogRow::Kind>(cursor.integer(1)),
                      .flags = static_cast<std::uint8_t>(cursor.integer(3))});
    }
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(before), rows.end(),
              [](const LogRow& a, const LogRow& b) { return a.seq < b.seq; });
  }
  last_item = last_batch = last_event = turns = 0;
  const std::vector<LogRow> written = std::exchange(rows, {});
  rows.reserve(written.size());
  for (const LogRow& row : written) {
    if (row.kind == LogRow::item) last_item = std::max(last_item, row.ref);
    if (row.kind == LogRow::batch) last_batch = std::max(last_batch, row.ref);
    if (row.kind == LogRow::event) last_event = std::max(last_event, row.ref);
    show(row);
  }
  count_turns();
  for (Cut& one : cuts) one.files = body(one.row);
}

void StoreState::close_session() {
  flush();
  if (locks && current) locks->release(current);
  current = 0;
  uid.clear(), name.clear(), rows.clear(), cuts.clear(), chain.clear();
}

OpenedSession StoreState::open_session(std::int64_t session) {
  close_session();
  OpenedSession opened;
  std::uint64_t stored_last = 0;
  {
    Cursor cursor = database->query(
        "SELECT uid, name, model, first_prompt, last_item, named FROM sessions WHERE id=?1", {session});
    if (!cursor.step()) throw SqliteError(0, "the session is gone");
    uid = cursor.text(0), name = cursor.text(1), model = cursor.text(2);
    if (name.empty()) name = name_of_prompt(cursor.bytes(3));
    stored_last = cursor.natural(4);
  }
  current = session;
  load_rows(session, INT64_MAX);
  last_item = std::max(last_item, stored_last);
  opened.id = uid, opened.name = name, opened.model = model, opened.resumed = true;
  opened.conversation = fold();
  for (const ItemPtr& item : opened.conversation.items) last_item = std::max(last_item, item->id.value);
  return opened;
}

// A cut stream becomes an interrupted answer; a started call without result gets one that says so. Both go
// into the log.
void StoreState::mend(OpenedSession& opened) {
  std::string text, thinking;
  {
    Cursor cursor = database->query("SELECT body FROM partials WHERE session=?1", {current});
    if (cursor.step()) {
      if (const auto item = decode_item(cursor.bytes(0))) text = plain_text(*item);
    }
  }
  if (!text.empty() && !last_assistant(opened.conversation)) {
    Item answer;
    answer.id = {++last_item}, answer.role = Role::assistant, answer.when = now(), answer.interrupted = true;
    answer.blocks.push_back(Text{text});
    opened.conversation.items.push_back(make_item(std::move(answer)));
    opened.notices.push_back("the last answer was cut off; what had arrived is kept");
  }
  const Item* last = last_assistant(opened.conversation);
  Item results;
  results.id = {last_item + 1}, results.when = now();
  for (const Block& block : last ? last->blocks : std::vector<Block>{}) {
    const auto* call = std::get_if<ToolCall>(&block);
    if (!call) continue;
    results.blocks.push_back(lost_result(*database, current, *call, opened.notices));
  }
  if (!results.blocks.empty()) {
    ++last_item;
    opened.conversation.items.push_back(make_item(std::move(results)));
  }
}

std::vector<std::int64_t> StoreState::candidates(std::string_view wanted) const {
  std::vector<std::int64_t> list;
  const auto collect = [&](Cursor cursor) {
    while (cursor.step()) list.push_back(cursor.integer(0));
  };
  const std::string like = escape_like(wanted), prefix = like.substr(1);
  collect(
      database->query("SELECT id FROM sessions WHERE uid=?1 OR (name=?1 AND coalesce(parent_seq, 0)>=0) "
                      "ORDER BY uid=?1 DESC, updated DESC",
                      {wanted}));
  if (list.empty())
    collect(database->query("SELECT id FROM sessions WHERE uid LIKE ?1 ESCAPE '\\' ORDER BY updated DESC",
                            {std::string_view(prefix)}));
  if (list.empty()) {
    collect(database->query(
        "SELECT id FROM sessions WHERE (name LIKE ?1 ESCAPE '\\' OR first_prompt LIKE ?1 ESCAPE '\\')"
        " AND coalesce(parent_seq, 0)>=0 ORDER BY updated DESC",
        {std::string_view(like)}));
  }
  return list;
}

OpenedSession SessionStore::create(NewSession session) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  impl.close_session();
  impl.uid = new_uid(), impl.name = session.name, impl.model = session.model;
  impl.turns = impl.last_item = impl.last_batch = impl.last_event = 0;
  // The row number is needed at once; when the disk refuses, a far one keeps it apart from every other.
  const std::int64_t at = impl.now_ms();
  const auto insert = [=, uid = impl.uid](Sqlite& db, std::int64_t row) {
    db.run(
        "INSERT INTO sessions VALUES(?1, ?2, ?3, ?4, ?5, ?6, (SELECT id FROM sessions WHERE uid=?8),"
        " CASE ?8 WHEN '' THEN NULL ELSE -1 END, ?7, ?7, '', 0, 0)",
        {row ? SqlValue(row) : SqlValue(nullptr), std::string_view(uid), std::string_view(session.name),
         std::int64_t{!session.name.empty()}, std::string_view(session.cwd), std::string_view(session.model),
         at, std::string_view(session.helper_of)});
  };
  try {
    if (impl.read_only || !impl.queue.empty()) throw SqliteError(0, "waiting");
    impl.database->relaxed([&] { insert(*impl.database, 0); });
    impl.current = impl.database->last_row();
  } catch (const SqliteError&) {
    impl.current = 1'000'000 + at % 1'000'000'000;
    impl.write([insert, row = impl.current](Sqlite& db) { insert(db, row); });
  }
  impl.chain = {{impl.current}};
  if (impl.locks) impl.locks->take(impl.current);
  OpenedSession opened;
  opened.id = impl.uid, opened.name = impl.name, opened.model = impl.model;
  return opened;
}

std::optional<OpenedSession> SessionStore::resume(std::string_view wanted, std::string& why) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  try {
    impl.flush();
    std::vector<std::int64_t> list = impl.candidates(wanted);
    if (list.empty()) {
      why = "no session matches \"" + std::string(wanted) + "\"; `tern sessions` lists them";
      for (const SearchHit& hit : search(wanted, 1)) list = impl.candidates(hit.session);
      if (list.empty()) return std::nullopt;
    }
    if (impl.current != list.front() && impl.locks && !impl.locks->take(list.front())) {
      why = "this session is open in another tern; close it there, or add --fork to continue with a copy";
      return std::nullopt;
    }
    OpenedSession opened = impl.open_session(list.front());
    if (impl.locks) impl.locks->take(impl.current);
    opened.turns = impl.turns;
    const std::size_t before = opened.conversation.items.size();
    if (!impl.read_only) {
      impl.mend(opened);
      transact([&] {
        for (std::size_t n = before; n < opened.conversation.items.size(); ++n)
          append(opened.conversation.items[n]);
      });
    }
    opened.conversation = repair(opened.conversation);
    opened.last_item = {impl.last_item};
    return opened;
  } catch (const SqliteError& error) {
    why = std::string("the history cannot be read: ") + error.what();
    if (!error.damaged() || impl.read_only || impl.file.empty()) return std::nullopt;
    impl.current = 0;
    if (!impl.recovered(error.what()))
      return std::nullopt;  // else a new file: the second try meets no damage
  }
  return resume(wanted, why);
}

std::optional<OpenedSession> SessionStore::newest(std::string& why, std::string_view cwd) {
  std::lock_guard lock(impl_->mutex);
  const std::string uid = impl_->read([&](Sqlite& db) {
    Cursor cursor = db.query(
        "SELECT uid FROM sessions WHERE turns>0 AND coalesce(parent_seq, 0)>=0 AND (?1='' OR cwd=?1)"
        " AND NOT EXISTS(SELECT 1 FROM state WHERE session=sessions.id AND key='hidden') ORDER BY updated "
        "DESC, id DESC LIMIT 1",
        {cwd});
    return cursor.step() ? cursor.text(0) : std::string();
  });
  if (!uid.empty()) return resume(uid, why);
  why = "there is no earlier session here";
  return std::nullopt;
}

OpenedSession SessionStore::fork(std::string_view name) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  impl.flush();
  const std::int64_t parent = impl.current;
  const std::string parent_name = impl.name, parent_model = impl.model;
  const std::uint64_t turns = impl.turns, last_item = impl.last_item;
  const std::int64_t upto = impl.read([](Sqlite& db) { return db.integer("SELECT max(seq) FROM log"); });
  const std::string cwd = impl.read([&](Sqlite& db) {
    Cursor cursor = db.query("SELECT cwd FROM sessions WHERE id=?1", {parent});
    return cursor.step() ? cursor.text(0) : std::string();
  });
  create({.name = name.empty() ? parent_name + " (fork)" : std::string(name),
          .cwd = cwd,
          .model = parent_model});
  impl.write([row = impl.current, parent, upto, turns, last_item](Sqlite& db) {
    db.run(
        "UPDATE sessions SET parent=?2, parent_seq=?3, turns=?4, last_item=?5,"
        " first_prompt=(SELECT first_prompt FROM sessions WHERE id=?2) WHERE id=?1",
        {row, parent, upto, sql(turns), sql(last_item)});
    db.run("INSERT OR IGNORE INTO state SELECT ?1, key, value FROM state WHERE session=?2", {row, parent});
  });
  std::string why;
  const std::string uid = impl.uid;
  if (auto opened = resume(uid, why)) return *opened;
  OpenedSession opened;
  opened.id = uid, opened.name = impl.name, opened.model = parent_model, opened.notices.push_back(why);
  return opened;
}

void SessionStore::rename(std::string_view name) {
  std::lock_guard lock(impl_->mutex);
  impl_->name = std::string(name);
  impl_->write([name = impl_->name, row = impl_->current](Sqlite& db) {
    db.run("UPDATE sessions SET name=?2, named=1 WHERE id=?1", {row, std::string_view(name)});
  });
}

bool SessionStore::hide(std::string_view id) {
  std::lock_guard lock(impl_->mutex);
  const auto row = impl_->read([&](Sqlite& db) {
    Cursor cursor = db.query("SELECT id FROM sessions WHERE uid=?1", {id});
    return cursor.step() ? cursor.integer(0) : 0;
  });
  if (row == 0) return false;
  return impl_->write(
      [row](Sqlite& db) { db.run("INSERT OR REPLACE INTO state VALUES(?1, 'hidden', '1')", {row}); });
}

void SessionStore::set_model(std::string_view model) {
  std::lock_guard lock(impl_->mutex);
  impl_->model = std::string(model);
  impl_->write([model = impl_->model, row = impl_->current](Sqlite& db) {
    db.run("UPDATE sessions SET model=?2 WHERE id=?1", {row, std::string_view(model)});
  });
}

std::vector<SessionRow> SessionStore::sessions(std::string_view search, std::size_t limit) {
  std::set<std::string> found;
  if (!search.empty()) {
    for (const SearchHit& hit : this->search(search, 200)) found.insert(hit.session);
  }
  return impl_->read([&](Sqlite& db) {
    std::vector<SessionRow> list;
    Cursor cursor = db.query(
        "SELECT s.uid, s.name, s.first_prompt, s.cwd, s.model, coalesce(p.uid, ''), s.turns, s.created, "
        "s.updated, s.id"
        " FROM sessions s LEFT JOIN sessions p ON p.id=s.parent WHERE s.turns>0 AND coalesce(s.parent_seq, "
        "0)>=0"
        " AND NOT EXISTS(SELECT 1 FROM state WHERE session=s.id AND key='hidden') ORDER BY s.updated DESC, "
        "s.id DESC");
    while (list.size() < limit && cursor.step()) {
      SessionRow row{.id = cursor.text(0),
                     .name = cursor.text(1),
                     .first_prompt = cursor.text(2),
                     .cwd = cursor.text(3),
                     .model = cursor.text(4),
                     .parent = cursor.text(5),
                     .turns = cursor.natural(6),
                     .created = time_of(cursor.integer(7)),
                     .updated = time_of(cursor.integer(8))};
      const bool match = search.empty() || found.count(row.id) || contains_folded(row.name, search) ||
                         row.id.starts_with(search);
      if (!match) continue;
      if (row.name.empty()) row.name = name_of_prompt(row.first_prompt);
      row.busy =
          impl_->locks && cursor.integer(9) != impl_->current && impl_->locks->taken(cursor.integer(9));
      list.push_back(std::move(row));
    }
    return list;
  });
}

}  // namespace tern
