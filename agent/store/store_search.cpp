// Full-text search over all sessions. The index is filled at idle, a few entries at a time; newer entries are
// searched one by one.
#include <algorithm>

#include "agent/store/export_summaries.h"
#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "compression/text/utf8.h"

namespace tern {
namespace {

constexpr int kIndexAtOnce = 64;

// Three code points make a trigram; shorter texts are looked for one by one.
std::vector<std::string> trigrams(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) starts.push_back(at);
  }
  starts.push_back(text.size());
  std::vector<std::string> list;
  for (std::size_t n = 0; n + 3 < starts.size(); ++n)
    list.emplace_back(text.substr(starts[n], starts[n + 3] - starts[n]));
  return list;
}

// All trigrams must be there; whether they stand together is checked on the text.
std::string match_of(const std::vector<std::string>& grams) {
  std::string match;
  for (const std::string& gram : grams) {
    std::string quoted;
    for (char c : gram) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    match += (match.empty() ? "\"" : " AND \"") + quoted + "\"";
  }
  return match;
}

std::string snippet(std::string_view text, std::string_view part) {
  const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(),
                                 [&](char a, char b) { return fold(a) == fold(b); });
  auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(found - text.begin() - 60, 0));
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) --from;
  std::string out =
      (from ? "…" : "") + std::string(text.substr(from, utf8_floor(text.substr(from), 160 + part.size())));
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

}  // namespace

void Store::idle() {
  std::lock_guard lock(state_->mutex);
  StoreState& impl = *state_;
  if (impl.read_only || !impl.flush()) return;
  if (std::exchange(impl.summaries_changed, false))
    export_summaries(summaries(), impl.options.folder, impl.options.summary_max_chars);
  struct Unread {
    std::int64_t seq;
    std::string text;
  };
  std::vector<Unread> waiting;
  try {
    impl.database->exec("BEGIN IMMEDIATE");
    {
      Cursor row = impl.database->query(
          "SELECT seq, kind, codec, body FROM log WHERE seq>(SELECT next FROM counters WHERE name='indexed') "
          "ORDER BY seq LIMIT "
          "?1",
          {std::int64_t{kIndexAtOnce}});
      while (row.step()) {
        const auto bytes = row.integer(1) == LogRow::item
                               ? unpack(static_cast<Packing>(row.integer(2)), row.bytes(3))
                               : std::nullopt;
        const auto item = bytes ? decode_item(*bytes) : std::nullopt;
        waiting.push_back({row.integer(0), item ? plain_text(*item) : std::string()});
      }
    }
    for (const Unread& one : waiting) {
      if (!one.text.empty())
        impl.database->run("INSERT INTO words(rowid, text) VALUES(?1, ?2)",
                           {one.seq, std::string_view(one.text)});
    }
    if (!waiting.empty())
      impl.database->run("UPDATE counters SET next=?1 WHERE name='indexed'", {waiting.back().seq});
    impl.database->exec("COMMIT");
  } catch (const SqliteError&) {
    try {
      if (impl.database->in_transaction()) impl.database->exec("ROLLBACK");
    } catch (const SqliteError&) {
      // The index is made again at the next idle moment.
    }
  }
  impl.database->checkpoint();
}

std::vector<SearchHit> SessionStore::search(std::string_view text, std::size_t limit) {
  std::lock_guard lock(impl_->mutex);
  if (text.empty()) return {};
  if (!impl_->read_only) impl_->flush();
  return impl_->read([&](Sqlite& db) {
    const std::vector<std::string> grams = trigrams(text);
    std::vector<std::int64_t> found;
    const auto collect = [&](Cursor row) {
      while (row.step()) found.push_back(row.integer(0));
    };
    const std::int64_t indexed = db.integer("SELECT next FROM counters WHERE name='indexed'");
    const std::string match = match_of(grams);
    collect(db.query("SELECT seq FROM log WHERE kind=0 AND seq>?1 ORDER BY seq DESC",
                     {grams.empty() ? std::int64_t{0} : indexed}));
    if (!grams.empty()) {
      collect(db.query("SELECT rowid FROM words WHERE words MATCH ?1 AND rowid<=?2 ORDER BY rowid DESC",
                       {std::string_view(match), indexed}));
    }
    std::vector<SearchHit> hits;
    for (std::int64_t seq : found) {
      if (hits.size() >= limit) break;
      Cursor row = db.query(
          "SELECT s.uid, s.name, l.codec, l.body FROM log l JOIN sessions s ON s.id=l.session"
          " WHERE l.seq=?1 AND coalesce(s.parent_seq, 0)>=0",
          {seq});
      if (!row.step()) continue;
      const auto bytes = unpack(static_cast<Packing>(row.integer(2)), row.bytes(3));
      const auto item = bytes ? decode_item(*bytes) : std::nullopt;
      if (!item) continue;
      const std::string all = plain_text(*item);
      if (contains_folded(all, text))
        hits.push_back({row.text(0), row.text(1), snippet(all, text), item->id, item->role, item->when});
    }
    return hits;
  });
}

}  // namespace tern
